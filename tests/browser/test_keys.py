"""Keys: each way to accept, and everything that must stay what it is."""

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk
from tests.browser.standin import StandIn, suggestion

FIRST = "I would like late bus."
SECOND = "Can we talk about late bus?"
THIRD = "She told me that late bus is fine."


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (["ArrowDown", "Enter"], FIRST),
        (["ArrowDown", "ArrowDown", "Enter"], SECOND),
        (["ArrowUp", "Enter"], THIRD),
        (["ArrowDown", "ArrowDown", "ArrowUp", "Enter"], FIRST),
        (["ArrowUp", "ArrowDown", "ArrowDown", "Enter"], FIRST),  # around, through the text
        (["Alt+Digit1"], FIRST),
        (["Alt+Digit2"], SECOND),
        (["Alt+Digit3"], THIRD),
    ],
)
def test_a_suggestion_is_accepted_by_keys(desk: Desk, keys: list[str], text: str) -> None:
    desk.ask("late bus")
    desk.press(*keys)
    desk.holds(text)
    desk.is_quiet()
    assert desk.page.evaluate("document.activeElement.id") == "writing"
    desk.type(" ok")
    desk.holds(text + " ok")


def test_a_suggestion_is_accepted_by_a_click(desk: Desk) -> None:
    desk.ask("late bus")
    desk.options.nth(1).click()
    desk.holds(SECOND)
    expect(desk.box).to_be_focused()


def test_right_at_the_end_of_the_line_accepts_one_word_more(desk: Desk, standin: StandIn) -> None:
    standin.suggest = lambda question: [suggestion(question["keywords"], FIRST)]
    desk.ask("late bus", count=1)
    steps = ["I late bus", "I would late bus", "I would like late bus", FIRST]
    for step in steps:
        desk.press("ArrowRight")
        desk.holds(step)
    desk.is_quiet()


def test_right_takes_words_of_the_active_suggestion(desk: Desk) -> None:
    desk.ask("late bus")
    desk.press("ArrowDown", "ArrowDown", "ArrowRight")
    desk.holds("Can late bus")


def test_right_finishes_an_unfinished_word(desk: Desk, standin: StandIn) -> None:
    standin.suggest = lambda question: [suggestion(question["keywords"], "Ten minutes late.")]
    desk.type("ten min")
    expect(desk.options).to_have_count(1)
    desk.press("ArrowRight")
    desk.holds("Ten minutes")
    desk.press("ArrowRight")
    desk.holds("Ten minutes late.")


def test_right_within_the_line_moves_the_caret(desk: Desk) -> None:
    desk.ask("late bus")
    desk.press("ArrowLeft", "ArrowLeft", "ArrowRight")
    desk.holds("late bus")
    assert desk.box.evaluate("box => box.selectionEnd") == len("late bus") - 1


def test_escape_dismisses_until_something_is_typed(desk: Desk) -> None:
    desk.ask("late bus")
    desk.press("Escape")
    desk.is_quiet()
    desk.holds("late bus")
    desk.press("ArrowRight", "ArrowUp")
    desk.holds("late bus")
    desk.press("End")
    desk.ask("es")


def test_enter_without_a_chosen_suggestion_ends_the_line(desk: Desk) -> None:
    desk.ask("late bus")
    desk.press("Enter")
    desk.holds("late bus\n")
    desk.is_quiet()


def test_digits_are_digits(desk: Desk) -> None:
    desk.ask("bus ")
    desk.type("1 2 3")
    desk.holds("bus 1 2 3")


def test_tab_leaves_the_box_and_shift_tab_comes_back(desk: Desk) -> None:
    desk.ask("late bus")
    desk.press("Tab")
    expect(desk.box).not_to_be_focused()
    desk.is_quiet()
    desk.holds("late bus")
    desk.press("Shift+Tab")
    expect(desk.box).to_be_focused()


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (["Control+a", "Delete"], ""),
        (["Home", "Delete"], "ate bus"),
        (["Control+Backspace"], "late "),
        (["Shift+ArrowLeft", "x"], "late bux"),
        (["Shift+ArrowUp", "Backspace"], ""),
        (["Shift+Enter"], "late bus\n"),
        (["Control+a", "Control+x", "Control+v", "Control+v"], "late buslate bus"),
    ],
)
def test_normal_editing_stays_what_it_is(desk: Desk, keys: list[str], text: str) -> None:
    desk.ask("late bus")
    desk.press(*keys)
    desk.holds(text)


@pytest.mark.parametrize("accept", [["Alt+1"], ["ArrowDown", "Enter"]])
def test_accepting_is_undone_and_redone_like_typing(desk: Desk, accept: list[str]) -> None:
    desk.type("Hello there. ")
    desk.ask("late bus")
    desk.press(*accept)
    desk.holds(f"Hello there. {FIRST}")
    desk.press("Control+z")
    desk.holds("Hello there. late bus")
    desk.press("Escape", "Control+Shift+z")
    desk.holds(f"Hello there. {FIRST}")


def test_each_word_accepted_is_undone_alone(desk: Desk, standin: StandIn) -> None:
    standin.suggest = lambda question: [suggestion(question["keywords"], FIRST)]
    desk.ask("late bus", count=1)
    desk.press("ArrowRight", "ArrowRight")
    desk.holds("I would late bus")
    desk.press("Control+z")
    desk.holds("I late bus")
    desk.press("Control+z")
    desk.holds("late bus")


def test_undo_brings_the_suggestions_back(desk: Desk) -> None:
    desk.ask("late bus")
    desk.press("Alt+1")
    desk.is_quiet()
    desk.press("Control+z")
    expect(desk.options).to_have_count(3)
    desk.type("es")
    desk.holds("late buses")


def test_moving_to_another_line_closes_the_list(desk: Desk) -> None:
    desk.type("See you.\n")
    desk.ask("late bus")
    desk.press("Control+Home")
    desk.is_quiet()


def test_everything_is_done_by_keys_alone(desk: Desk) -> None:
    """Write, choose, send back, look at the budget, switch the memory on; no pointer."""
    desk.ask("late bus")
    desk.press("ArrowDown", "Enter", "Escape")
    desk.holds("late bus ")
    desk.press("Escape")
    seen = []
    for _ in range(12):
        desk.press("Tab")
        seen.append(desk.page.evaluate("document.activeElement.id"))
        if seen[-1] == "enough-budget":
            desk.press("ArrowRight")
        if seen[-1] == "memory-switch":
            desk.press("Space")
            break
    assert seen == [
        "totals-reset",
        "enough-sentence",
        "enough-budget",
        "enough-free",
        "memory-switch",
    ]
    expect(desk.page.get_by_role("switch")).to_be_checked()
