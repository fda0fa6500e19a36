"""Typing: requests, suggestions and highlighting."""

import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.fake_service import FakeService, suggestion
from tests.browser.page_object import EditorPage


def test_typing_keywords_shows_three_suggestions(editor: EditorPage) -> None:
    assert editor.type_keywords("10 minutes late") == [
        "I would like 10 minutes late.",
        "Can we talk about 10 minutes late?",
        "She told me that 10 minutes late is fine.",
    ]
    editor.expect_text("10 minutes late")


def test_keywords_are_highlighted_in_each_suggestion(editor: EditorPage) -> None:
    editor.type_keywords("late bus")
    for option in editor.options.all():
        assert option.locator("mark").all_text_contents() == ["late", "bus"]


def test_the_last_word_is_a_prefix_until_a_space_follows(
    editor: EditorPage, service: FakeService
) -> None:
    editor.type_keywords("late bu")
    assert service.requests_for("late bu")[-1] == {
        "keywords": "late bu",
        "n": 3,
        "prefix": True,
        "corrections": True,
        "context": "",
        "model": None,
    }
    editor.type("s ")
    expect(editor.options.first).to_contain_text("late bus")
    editor.wait_until(
        lambda: any(not body["prefix"] for body in service.requests_for("late bus")),
        "after the space the last word is complete",
    )


def test_keywords_are_those_of_the_line_and_the_text_before_is_context(
    editor: EditorPage, service: FakeService
) -> None:
    editor.type("We met at noon.\nThe food was good. ")
    editor.type_keywords("dinner again")
    body = service.requests_for("dinner again")[-1]
    assert body["context"] == "We met at noon.\nThe food was good."
    editor.press("Alt+1")
    editor.expect_text("We met at noon.\nThe food was good. I would like dinner again.")


def test_lines_below_are_unchanged(editor: EditorPage) -> None:
    editor.type("\nSee you.")
    editor.press("Control+Home")
    editor.type_keywords("late")
    editor.press("Alt+1")
    editor.expect_text("I would like late.\nSee you.")


def test_a_full_sentence_is_not_completed(editor: EditorPage, service: FakeService) -> None:
    editor.type("We met at noon. ")
    editor.wait_for_timers()
    editor.expect_no_list()
    editor.press("Home")
    editor.type("So ")
    editor.wait_for_timers()
    assert service.requests_for("So We met at noon.") == []
    editor.press("End", "Backspace", "Backspace")
    expect(editor.options).to_have_count(3)
    assert service.requests_for("So We met at noon"), "without a full stop these may be keywords"


def test_text_beyond_the_limits_is_not_sent(editor: EditorPage, service: FakeService) -> None:
    editor.box.fill("word " * 33)
    editor.wait_for_timers()
    assert service.request_bodies() == []
    editor.box.fill("w" * 201)
    editor.wait_for_timers()
    assert service.request_bodies() == []


def test_deleting_a_character_uses_the_cache(editor: EditorPage, service: FakeService) -> None:
    editor.type_keywords("late")
    editor.type_keywords("r")
    editor.press("Backspace")
    expect(editor.options.first).to_have_text("1I would like late.")
    editor.wait_for_timers()
    assert len(service.requests_for("late")) == 1


def test_thirty_keys_per_second_are_handled_smoothly(editor: EditorPage) -> None:
    text = 2 * "ten minutes late because the bus did not come "
    busy = busy_seconds(editor.page)
    started = time.monotonic()
    editor.type(text, delay=1000 / 30)
    assert time.monotonic() - started > len(text) / 30
    editor.expect_text(text)
    expect(editor.options.first).to_contain_text("because the bus did not come.")
    assert busy() / len(text) < 1 / 20, "a key may take three frames; the machine may be slow"


def test_a_burst_of_keys_sends_few_requests(editor: EditorPage, service: FakeService) -> None:
    editor.box.evaluate(
        """() => {
          const now = performance.now();
          performance.now = () => now;  // one burst, however slow the machine is
          for (const letter of "late bus home") document.execCommand("insertText", false, letter);
          delete performance.now;
        }"""
    )
    expect(editor.options.first).to_contain_text("late bus home")
    assert len(service.request_bodies()) < len("late bus home") / 2


def busy_seconds(page: Page) -> Callable[[], float]:
    """Return a function that returns the seconds of CPU time of the page since now."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def read() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        seconds = {metric["name"]: float(metric["value"]) for metric in metrics}
        return seconds["TaskDuration"]

    before = read()
    return lambda: read() - before


def test_notes_show_corrections_and_remembered_sentences(
    editor: EditorPage, service: FakeService
) -> None:
    service.suggest = lambda request: [
        suggestion("minutes", "Ten minutes.", corrected=[{"typed": "minuts", "read": "minutes"}]),
        suggestion("", "Ten minuts, as ever.", source="memory"),
    ]
    editor.type("minuts")
    expect(editor.options.nth(0)).to_contain_text("remembered")
    expect(editor.options.nth(1)).to_contain_text("minuts read as minutes")


def test_a_corrected_suggestion_takes_the_last_place(
    editor: EditorPage, service: FakeService
) -> None:
    corrected = [{"typed": "minuts", "read": "minutes"}]
    service.suggest = lambda request: [
        *(suggestion("minuts", f"{count} minuts.") for count in ("One", "Two", "Three")),
        suggestion("", "Four minutes.", corrected=corrected),
    ]
    editor.type("minuts ")
    expect(editor.options).to_have_count(3)
    expect(editor.options.nth(1)).to_contain_text("Two minuts.")
    expect(editor.options.nth(2)).to_contain_text("minuts read as minutes")


def test_highlights_are_right_after_surrogate_pairs(
    editor: EditorPage, service: FakeService
) -> None:
    service.suggest = lambda request: [suggestion("late", "🎉🎉 You are late!")]
    editor.type("late")
    expect(editor.options.first.locator("mark")).to_have_text("late")


def test_another_model_can_be_selected(service: FakeService, open_page: OpenPage) -> None:
    service.models = ("everyday", "restaurant")
    editor = open_page()
    editor.page.get_by_label("Model").select_option("restaurant")
    editor.box.focus()
    editor.type_keywords("late")
    assert service.requests_for("late")[-1]["model"] == "restaurant"


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_three_suggestions_are_shown(
    editor: EditorPage, service: FakeService, count: int
) -> None:
    service.suggest = lambda request: [suggestion("late", "I am late.")][:count]
    editor.type("late")
    editor.wait_for_timers()
    expect(editor.options).to_have_count(count)
    expect(editor.page.locator(".tersely-list")).to_be_visible(visible=count > 0)
