"""Typing: what brings suggestions, what is asked, and what is marked."""

import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opener
from tests.browser.desk import Desk
from tests.browser.standin import StandIn, suggestion


def test_keywords_bring_three_suggestions_as_you_type(desk: Desk) -> None:
    assert desk.ask("10 minutes late") == [
        "I would like 10 minutes late.",
        "Can we talk about 10 minutes late?",
        "She told me that 10 minutes late is fine.",
    ]
    desk.holds("10 minutes late")


def test_the_typed_keywords_are_marked_in_each(desk: Desk) -> None:
    desk.ask("late bus")
    for option in desk.options.all():
        assert option.locator("mark").all_text_contents() == ["late", "bus"]


def test_the_last_word_may_be_unfinished_until_a_blank_follows(
    desk: Desk, standin: StandIn
) -> None:
    desk.ask("late bu")
    assert standin.asked_about("late bu")[-1] == {
        "keywords": "late bu",
        "n": 3,
        "prefix": True,
        "corrections": True,
        "context": "",
        "model": None,
    }
    desk.type("s ")
    expect(desk.options.first).to_contain_text("late bus")
    desk.wait_until(
        lambda: any(not asked["prefix"] for asked in standin.asked_about("late bus")),
        "after the blank the word is asked about as a whole",
    )


def test_only_the_current_line_is_asked_and_the_rest_is_context(
    desk: Desk, standin: StandIn
) -> None:
    desk.type("We met at noon.\nThe food was good. ")
    desk.ask("dinner again")
    asked = standin.asked_about("dinner again")[-1]
    assert asked["context"] == "We met at noon. The food was good."
    desk.press("Alt+1")
    desk.holds("We met at noon.\nThe food was good. I would like dinner again.")


def test_lines_below_stay_as_they_are(desk: Desk) -> None:
    desk.type("\nSee you.")
    desk.press("Control+Home")
    desk.ask("late")
    desk.press("Alt+1")
    desk.holds("I would like late.\nSee you.")


def test_a_sentence_written_in_full_brings_nothing(desk: Desk, standin: StandIn) -> None:
    desk.type("We met at noon. ")
    desk.settle()
    desk.is_quiet()
    desk.press("Home")
    desk.type("So ")
    desk.settle()
    assert standin.asked_about("So We met at noon.") == []
    desk.press("End", "Backspace", "Backspace")
    expect(desk.options).to_have_count(3)
    assert standin.asked_about("So We met at noon"), "no full stop: these may be keywords"


def test_more_than_the_service_takes_is_not_asked(desk: Desk, standin: StandIn) -> None:
    desk.box.fill("word " * 33)
    desk.settle()
    assert standin.asked() == []
    desk.box.fill("w" * 201)
    desk.settle()
    assert standin.asked() == []


def test_going_back_a_letter_needs_no_request(desk: Desk, standin: StandIn) -> None:
    desk.ask("late")
    desk.ask("r")
    desk.press("Backspace")
    expect(desk.options.first).to_have_text("1I would like late.")
    desk.settle()
    assert len(standin.asked_about("late")) == 1


def test_thirty_keys_a_second_lose_nothing_and_stay_smooth(desk: Desk) -> None:
    text = 2 * "ten minutes late because the bus did not come "
    busy = busy_seconds(desk.page)
    started = time.monotonic()
    desk.type(text, delay=1000 / 30)
    assert time.monotonic() - started > len(text) / 30
    desk.holds(text)
    expect(desk.options.first).to_contain_text("because the bus did not come.")
    assert busy() / len(text) < 1 / 20, "a key costs a frame at most; machines may be slow"


def test_a_burst_of_keys_does_not_ask_for_each_of_them(desk: Desk, standin: StandIn) -> None:
    desk.box.evaluate(
        """() => {
          const now = performance.now();
          performance.now = () => now;  // however slow the machine is, it is one burst
          for (const letter of "late bus home") document.execCommand("insertText", false, letter);
          delete performance.now;
        }"""
    )
    expect(desk.options.first).to_contain_text("late bus home")
    assert len(standin.asked()) < len("late bus home") / 2


def busy_seconds(page: Page) -> Callable[[], float]:
    """How long the page's thread has worked since now: its own time, not that of others."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def read() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(one["value"] for one in metrics if one["name"] == "TaskDuration")

    before = read()
    return lambda: read() - before


def test_notes_tell_what_was_corrected_and_what_was_remembered(
    desk: Desk, standin: StandIn
) -> None:
    standin.suggest = lambda question: [
        suggestion("minutes", "Ten minutes.", corrected=[{"typed": "minuts", "read": "minutes"}]),
        suggestion("", "Ten minuts, as ever.", source="memory"),
    ]
    desk.type("minuts")
    expect(desk.options.nth(0)).to_contain_text("remembered")
    expect(desk.options.nth(1)).to_contain_text("minuts read as minutes")


def test_the_last_place_is_for_what_was_read_otherwise(desk: Desk, standin: StandIn) -> None:
    read = [{"typed": "minuts", "read": "minutes"}]
    standin.suggest = lambda question: [
        *(suggestion("minuts", f"{count} minuts.") for count in ("One", "Two", "Three")),
        suggestion("", "Four minutes.", corrected=read),
    ]
    desk.type("minuts ")
    expect(desk.options).to_have_count(3)
    expect(desk.options.nth(1)).to_contain_text("Two minuts.")
    expect(desk.options.nth(2)).to_contain_text("minuts read as minutes")


def test_marks_stand_right_behind_characters_of_two_units(desk: Desk, standin: StandIn) -> None:
    standin.suggest = lambda question: [suggestion("late", "🎉🎉 You are late!")]
    desk.type("late")
    expect(desk.options.first.locator("mark")).to_have_text("late")


def test_another_model_can_be_chosen_where_there_are_two(
    standin: StandIn, open_desk: Opener
) -> None:
    standin.models = ("everyday", "restaurant")
    desk = open_desk()
    desk.page.get_by_label("Model").select_option("restaurant")
    desk.box.focus()
    desk.ask("late")
    assert standin.asked_about("late")[-1]["model"] == "restaurant"


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_suggestions_than_three_are_fine(desk: Desk, standin: StandIn, count: int) -> None:
    standin.suggest = lambda question: [suggestion("late", "I am late.")][:count]
    desk.type("late")
    desk.settle()
    expect(desk.options).to_have_count(count)
    expect(desk.page.locator(".tersely-list")).to_be_visible(visible=count > 0)
