"""Functions without side effects: the query at the caret, alignment, and key bindings."""

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import OpenPage
from tests.browser.fake_service import FakeService

LIMITS = {"keywords": 32, "characters": 200}


@pytest.fixture
def call(page: Page, service: FakeService, open_page: OpenPage) -> Any:
    """Return a function that calls an exported function of a module."""
    open_page()

    def call(module: str, name: str, *arguments: Any) -> Any:
        return page.evaluate(
            """async ([module, name, args]) => (await import(`/${module}`))[name](...args)""",
            [module, name, list(arguments)],
        )

    return call


def test_keywords_begin_after_the_sentences_on_a_line(call: Any) -> None:
    cases = {
        "late|": "late",
        "Hello. late|": "late",
        "Hello there! How are you? late bus|": "late bus",
        "see Dr. Brown|": "see Dr. Brown",
        "See Dr. Brown|": "See Dr. Brown",
        "10 a.m. meeting|": "10 a.m. meeting",
        "where station?|": "where station?",
        "Where station?|": "Where station?",
        "We met. late\nbus| home\nlast": "bus home",
        "He said “no.” late|": "late",
        "\n|": None,
        "|": None,
        "...|": None,
        "We met at noon.|": None,
        "We met at noon. |": None,
        "late|. We met": "late. We met",
    }
    for text, keywords in cases.items():
        caret = text.index("|")
        query = call("widget/query.js", "queryAt", text.replace("|", ""), caret, LIMITS)
        assert (query and query["keywords"]) == keywords, text


def test_the_context_keeps_its_line_breaks(call: Any) -> None:
    cases = {
        "Dear Ann\n10 late|": "Dear Ann\n",
        "Dear Ann  \n\n  10 late|": "Dear Ann\n",
        "Dear Ann\nWe met.  late|": "Dear Ann\nWe met.",
        "\n\nlate|": "",
        "late|": "",
    }
    for text, context in cases.items():
        caret = text.index("|")
        query = call("widget/query.js", "queryAt", text.replace("|", ""), caret, LIMITS)
        assert query["context"] == context, text


def test_context_is_truncated_at_a_word(call: Any) -> None:
    text = "word " * 100 + "\nlate"
    query = call("widget/query.js", "queryAt", text, len(text), LIMITS)
    assert len(query["context"]) <= 200
    assert set(query["context"].split()) == {"word"}


def test_keywords_are_aligned_in_order_as_words(call: Any) -> None:
    cases = [
        (("It is late.", "late", False), [[6, 10]]),
        (("It is LATE now.", "late now", False), [[6, 10], [11, 14]]),
        (("It is late.", "la", True), [[6, 8]]),
        (("It is late.", "la", False), None),
        (("It is late.", "ate", True), None),
        (("It is late.", "late it", False), None),
        (("Where is it?", "where it?", False), [[0, 5], [9, 11]]),
        (("I said “no way”.", '"no way"', False), [[8, 10], [11, 14]]),
        (("İt is late.", "late", False), None),
    ]
    for arguments, spans in cases:
        assert call("widget/alignment.js", "alignKeywords", *arguments) == spans, arguments


def test_accepting_a_word_adds_the_first_one_that_was_not_typed(call: Any) -> None:
    cases = [
        ("I am late.", [[5, 9]], "I late"),
        ("I am late.", [[0, 1], [5, 9]], "I am late"),
        ("I am late.", [[0, 4], [5, 9]], "I am late."),
        ("It's late, Tom.", [[5, 9], [11, 14]], "It's late Tom"),
        ("Ten minutes.", [[0, 3], [4, 7]], "Ten minutes."),
        ("I am late.", [[0, 10]], "I am late."),
        ("I am late.", [], "I"),
    ]
    for text, spans, line in cases:
        result = call("widget/alignment.js", "acceptNextWord", {"text": text, "spans": spans})
        assert result == line, (text, spans)


def test_invalid_spans_are_dropped(call: Any) -> None:
    spans = [[3, 9], [0, 2], [1, 2], [2, 2], [-1, 1], [0, 99]]
    assert call("widget/alignment.js", "normalizeSpans", spans, "It is late.") == [[0, 2], [3, 9]]
    assert call("widget/alignment.js", "normalizeSpans", None, "It is late.") == []
    assert call("widget/alignment.js", "normalizeSpans", [[1, 2]], "🎉x") == [[2, 3]]


def test_a_key_has_an_action_only_in_some_states(call: Any) -> None:
    state = {
        "isOpen": True,
        "selected": -1,
        "count": 3,
        "isAtLineEnd": True,
        "canUndo": False,
    }
    plain = {"altKey": False, "ctrlKey": False, "metaKey": False, "shiftKey": False}
    alt_2 = {**plain, "altKey": True, "key": "™", "code": "Digit2"}
    cases = [
        ({**plain, "key": "ArrowDown"}, state, {"name": "next"}),
        ({**plain, "key": "ArrowDown"}, {**state, "isOpen": False}, None),
        ({**plain, "key": "ArrowDown", "shiftKey": True}, state, None),
        ({**plain, "key": "Enter"}, state, None),
        ({**plain, "key": "Enter"}, {**state, "selected": 1}, {"name": "accept", "index": 1}),
        (alt_2, state, {"name": "accept", "index": 1}),
        (alt_2, {**state, "count": 1}, None),
        ({**alt_2, "ctrlKey": True}, state, None),  # AltGr
        ({**plain, "key": "ArrowRight"}, {**state, "isAtLineEnd": False}, None),
        ({**plain, "key": "Escape"}, {**state, "isOpen": False, "canUndo": True}, {"name": "undo"}),
        ({**plain, "key": "Tab"}, {**state, "selected": 1}, None),
        ({**plain, "key": "2", "code": "Digit2"}, state, None),
    ]
    for event, key_state, action in cases:
        event = {"code": "", "isComposing": False, "keyCode": 0, **event}
        assert call("widget/keys.js", "actionForKey", event, key_state) == action, event
