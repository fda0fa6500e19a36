"""When the guess was wrong: one key brings the keywords back."""

from playwright.sync_api import expect

from tests.browser.desk import Desk
from tests.browser.standin import StandIn, suggestion


def test_escape_after_accepting_brings_the_keywords_back(desk: Desk) -> None:
    desk.type("Hello there. ")
    desk.ask("late bus")
    desk.press("Alt+1")
    desk.holds("Hello there. I would like late bus.")
    desk.press("Escape")
    desk.holds("Hello there. late bus ")
    desk.type("home")
    desk.holds("Hello there. late bus home")
    expect(desk.options.first).to_contain_text("late bus home")


def test_a_button_does_the_same(desk: Desk) -> None:
    desk.ask("late bus")
    desk.press("Alt+1")
    expect(desk.again).to_be_visible()
    desk.again.click()
    desk.holds("late bus ")
    expect(desk.box).to_be_focused()
    expect(desk.again).to_be_hidden()


def test_the_button_is_reached_by_tab(desk: Desk) -> None:
    desk.ask("late bus")
    desk.press("Alt+1", "Tab")
    expect(desk.again).to_be_focused()
    desk.press("Enter")
    desk.holds("late bus ")


def test_what_was_sent_back_is_not_offered_again(desk: Desk, standin: StandIn) -> None:
    texts = ["It is late.", "You are late.", "We are late.", "They are late."]
    standin.suggest = lambda question: [suggestion("late", one) for one in texts][: question["n"]]
    assert desk.ask("late") == texts[:3]
    desk.press("Alt+1", "Escape")
    expect(desk.options.first).to_contain_text("You are")
    assert desk.sentences() == texts[1:]
    desk.press("Alt+1", "Escape")
    expect(desk.options.first).to_contain_text("We are")
    assert desk.sentences() == texts[2:]


def test_after_a_blank_it_still_works_and_on_another_line_it_does_not(desk: Desk) -> None:
    desk.ask("late bus")
    desk.press("Alt+1", "Space", "Escape")
    desk.holds("late bus  ")
    expect(desk.options.first).to_contain_text("Can we")
    desk.press("Alt+1", "Enter", "Escape")
    desk.holds("Can we talk about late bus?\n")


def test_bringing_back_is_undoable(desk: Desk) -> None:
    desk.ask("late bus")
    desk.press("Alt+1", "Escape")
    desk.holds("late bus ")
    desk.press("Escape", "Control+z")
    desk.holds("I would like late bus.")


def test_escape_without_anything_accepted_does_nothing(desk: Desk) -> None:
    desk.ask("late bus")
    desk.press("Escape", "Escape")
    desk.holds("late bus")
