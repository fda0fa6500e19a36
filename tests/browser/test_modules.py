"""The modules that only think: where keywords begin, what comes next, what a key means."""

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Opener
from tests.browser.standin import StandIn

LIMITS = {"keywords": 32, "characters": 200}


@pytest.fixture
def call(page: Page, standin: StandIn, open_desk: Opener) -> Any:
    """Call an exported function of a module of the page."""
    open_desk()

    def call(module: str, name: str, *arguments: Any) -> Any:
        return page.evaluate(
            """async ([module, name, given]) => (await import(`/${module}`))[name](...given)""",
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
    for marked, keywords in cases.items():
        caret = marked.index("|")
        found = call("suggest/line.js", "writingAt", marked.replace("|", ""), caret, LIMITS)
        assert (found and found["keywords"]) == keywords, marked


def test_context_is_cut_at_a_word(call: Any) -> None:
    text = "word " * 100 + "\nlate"
    found = call("suggest/line.js", "writingAt", text, len(text), LIMITS)
    assert len(found["context"]) <= 200
    assert set(found["context"].split()) == {"word"}


def test_keywords_are_found_in_order_as_words(call: Any) -> None:
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
        assert call("suggest/words.js", "alignment", *arguments) == spans, arguments


def test_the_next_word_is_the_first_that_was_not_typed(call: Any) -> None:
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
        found = call("suggest/words.js", "withNextWord", {"text": text, "spans": spans})
        assert found == line, (text, spans)


def test_spans_that_are_none_fall_out(call: Any) -> None:
    spans = [[3, 9], [0, 2], [1, 2], [2, 2], [-1, 1], [0, 99]]
    assert call("suggest/words.js", "tidySpans", spans, "It is late.") == [[0, 2], [3, 9]]
    assert call("suggest/words.js", "tidySpans", None, "It is late.") == []
    assert call("suggest/words.js", "tidySpans", [[1, 2]], "🎉x") == [[2, 3]]


def test_a_key_means_something_only_where_it_should(call: Any) -> None:
    state = {"open": True, "active": -1, "count": 3, "atLineEnd": True, "canGoBack": False}
    plain = {"altKey": False, "ctrlKey": False, "metaKey": False, "shiftKey": False}
    alt_2 = {**plain, "altKey": True, "key": "™", "code": "Digit2"}
    cases = [
        ({**plain, "key": "ArrowDown"}, state, {"do": "next"}),
        ({**plain, "key": "ArrowDown"}, {**state, "open": False}, None),
        ({**plain, "key": "ArrowDown", "shiftKey": True}, state, None),
        ({**plain, "key": "Enter"}, state, None),
        ({**plain, "key": "Enter"}, {**state, "active": 1}, {"do": "accept", "at": 1}),
        (alt_2, state, {"do": "accept", "at": 1}),
        (alt_2, {**state, "count": 1}, None),
        ({**alt_2, "ctrlKey": True}, state, None),  # AltGr
        ({**plain, "key": "ArrowRight"}, {**state, "atLineEnd": False}, None),
        ({**plain, "key": "Escape"}, {**state, "open": False, "canGoBack": True}, {"do": "back"}),
        ({**plain, "key": "Tab"}, {**state, "active": 1}, None),
        ({**plain, "key": "2", "code": "Digit2"}, state, None),
    ]
    for event, situation, intent in cases:
        event = {"code": "", "isComposing": False, "keyCode": 0, **event}
        assert call("suggest/keys.js", "intentOf", event, situation) == intent, event
