"""Keys: each way to accept a suggestion, and the keys that keep their meaning."""

import pytest
from playwright.sync_api import expect

from tests.browser.fake_service import FakeService, suggestion
from tests.browser.page_object import EditorPage

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
        (
            ["ArrowUp", "ArrowDown", "ArrowDown", "Enter"],
            FIRST,
        ),  # wraps around through the text box
        (["Alt+Digit1"], FIRST),
        (["Alt+Digit2"], SECOND),
        (["Alt+Digit3"], THIRD),
    ],
)
def test_a_suggestion_can_be_accepted_by_keys(
    editor: EditorPage, keys: list[str], text: str
) -> None:
    editor.type_keywords("late bus")
    editor.press(*keys)
    editor.expect_text(text)
    editor.expect_no_list()
    assert editor.page.evaluate("document.activeElement.id") == "editor"
    editor.type(" ok")
    editor.expect_text(text + " ok")


def test_a_suggestion_can_be_accepted_by_a_click(editor: EditorPage) -> None:
    editor.type_keywords("late bus")
    editor.options.nth(1).click()
    editor.expect_text(SECOND)
    expect(editor.box).to_be_focused()


def test_right_at_the_end_of_the_line_accepts_one_word(
    editor: EditorPage, service: FakeService
) -> None:
    service.suggest = lambda request: [suggestion(request["keywords"], FIRST)]
    editor.type_keywords("late bus", count=1)
    steps = ["I late bus", "I would late bus", "I would like late bus", FIRST]
    for step in steps:
        editor.press("ArrowRight")
        editor.expect_text(step)
    editor.expect_no_list()


def test_right_accepts_words_of_the_selected_suggestion(editor: EditorPage) -> None:
    editor.type_keywords("late bus")
    editor.press("ArrowDown", "ArrowDown", "ArrowRight")
    editor.expect_text("Can late bus")


def test_right_finishes_an_unfinished_word(editor: EditorPage, service: FakeService) -> None:
    service.suggest = lambda request: [suggestion(request["keywords"], "Ten minutes late.")]
    editor.type("ten min")
    expect(editor.options).to_have_count(1)
    editor.press("ArrowRight")
    editor.expect_text("Ten minutes")
    editor.press("ArrowRight")
    editor.expect_text("Ten minutes late.")


def test_right_within_the_line_moves_the_caret(editor: EditorPage) -> None:
    editor.type_keywords("late bus")
    editor.press("ArrowLeft", "ArrowLeft", "ArrowRight")
    editor.expect_text("late bus")
    assert editor.box.evaluate("box => box.selectionEnd") == len("late bus") - 1


def test_escape_dismisses_until_something_is_typed(editor: EditorPage) -> None:
    editor.type_keywords("late bus")
    editor.press("Escape")
    editor.expect_no_list()
    editor.expect_text("late bus")
    editor.press("ArrowRight", "ArrowUp")
    editor.expect_text("late bus")
    editor.press("End")
    editor.type_keywords("es")


def test_enter_without_a_selected_suggestion_ends_the_line(editor: EditorPage) -> None:
    editor.type_keywords("late bus")
    editor.press("Enter")
    editor.expect_text("late bus\n")
    editor.expect_no_list()


def test_digits_are_typed(editor: EditorPage) -> None:
    editor.type_keywords("bus ")
    editor.type("1 2 3")
    editor.expect_text("bus 1 2 3")


def test_tab_and_shift_tab_move_the_focus(editor: EditorPage) -> None:
    editor.type_keywords("late bus")
    editor.press("Tab")
    expect(editor.box).not_to_be_focused()
    editor.expect_no_list()
    editor.expect_text("late bus")
    editor.press("Shift+Tab")
    expect(editor.box).to_be_focused()


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
def test_editing_keys_keep_their_meaning(editor: EditorPage, keys: list[str], text: str) -> None:
    editor.type_keywords("late bus")
    editor.press(*keys)
    editor.expect_text(text)


@pytest.mark.parametrize("accept", [["Alt+1"], ["ArrowDown", "Enter"]])
def test_accepting_can_be_undone_and_redone_like_typing(
    editor: EditorPage, accept: list[str]
) -> None:
    editor.type("Hello there. ")
    editor.type_keywords("late bus")
    editor.press(*accept)
    editor.expect_text(f"Hello there. {FIRST}")
    editor.press("Control+z")
    editor.expect_text("Hello there. late bus")
    editor.press("Escape", "Control+Shift+z")
    editor.expect_text(f"Hello there. {FIRST}")


def test_accepted_words_are_undone_one_by_one(editor: EditorPage, service: FakeService) -> None:
    service.suggest = lambda request: [suggestion(request["keywords"], FIRST)]
    editor.type_keywords("late bus", count=1)
    editor.press("ArrowRight", "ArrowRight")
    editor.expect_text("I would late bus")
    editor.press("Control+z")
    editor.expect_text("I late bus")
    editor.press("Control+z")
    editor.expect_text("late bus")


def test_undo_shows_the_suggestions_again(editor: EditorPage) -> None:
    editor.type_keywords("late bus")
    editor.press("Alt+1")
    editor.expect_no_list()
    editor.press("Control+z")
    expect(editor.options).to_have_count(3)
    editor.type("es")
    editor.expect_text("late buses")


def test_moving_to_another_line_closes_the_list(editor: EditorPage) -> None:
    editor.type("See you.\n")
    editor.type_keywords("late bus")
    editor.press("Control+Home")
    editor.expect_no_list()


def test_the_whole_page_can_be_used_by_keyboard(editor: EditorPage) -> None:
    """Write, accept, undo, change the budget and turn the memory on without a pointer."""
    editor.type_keywords("late bus")
    editor.press("ArrowDown", "Enter", "Escape")
    editor.expect_text("late bus ")
    editor.press("Escape")
    focused = []
    for _ in range(12):
        editor.press("Tab")
        focused.append(editor.page.evaluate("document.activeElement.id"))
        if focused[-1] == "keywords-budget":
            editor.press("ArrowRight")
        if focused[-1] == "memory-switch":
            editor.press("Space")
            break
    assert focused == [
        "keystrokes-reset",
        "keywords-sentence",
        "keywords-budget",
        "keywords-reset",
        "memory-switch",
    ]
    expect(editor.page.get_by_role("switch")).to_be_checked()
