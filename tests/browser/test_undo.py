"""Undo of an accepted suggestion: Escape or a button restores the keywords."""

from playwright.sync_api import expect

from tests.browser.fake_service import FakeService, suggestion
from tests.browser.page_object import EditorPage


def test_escape_after_accepting_restores_the_keywords(editor: EditorPage) -> None:
    editor.type("Hello there. ")
    editor.type_keywords("late bus")
    editor.press("Alt+1")
    editor.expect_text("Hello there. I would like late bus.")
    editor.press("Escape")
    editor.expect_text("Hello there. late bus ")
    editor.type("home")
    editor.expect_text("Hello there. late bus home")
    expect(editor.options.first).to_contain_text("late bus home")


def test_the_undo_button_restores_the_keywords(editor: EditorPage) -> None:
    editor.type_keywords("late bus")
    editor.press("Alt+1")
    expect(editor.undo_button).to_be_visible()
    editor.undo_button.click()
    editor.expect_text("late bus ")
    expect(editor.box).to_be_focused()
    expect(editor.undo_button).to_be_hidden()


def test_the_undo_button_can_be_focused_by_tab(editor: EditorPage) -> None:
    editor.type_keywords("late bus")
    editor.press("Alt+1", "Tab")
    expect(editor.undo_button).to_be_focused()
    editor.press("Enter")
    editor.expect_text("late bus ")


def test_an_undone_sentence_is_not_suggested_again(
    editor: EditorPage, service: FakeService
) -> None:
    texts = ["It is late.", "You are late.", "We are late.", "They are late."]
    service.suggest = lambda request: [suggestion("late", text) for text in texts][: request["n"]]
    assert editor.type_keywords("late") == texts[:3]
    editor.press("Alt+1", "Escape")
    expect(editor.options.first).to_contain_text("You are")
    assert editor.suggestion_texts() == texts[1:]
    editor.press("Alt+1", "Escape")
    expect(editor.options.first).to_contain_text("We are")
    assert editor.suggestion_texts() == texts[2:]


def test_escape_works_after_a_space_but_not_on_another_line(editor: EditorPage) -> None:
    editor.type_keywords("late bus")
    editor.press("Alt+1", "Space", "Escape")
    editor.expect_text("late bus  ")
    expect(editor.options.first).to_contain_text("Can we")
    editor.press("Alt+1", "Enter", "Escape")
    editor.expect_text("Can we talk about late bus?\n")


def test_restoring_the_keywords_can_be_undone(editor: EditorPage) -> None:
    editor.type_keywords("late bus")
    editor.press("Alt+1", "Escape")
    editor.expect_text("late bus ")
    editor.press("Escape", "Control+z")
    editor.expect_text("I would like late bus.")


def test_escape_without_an_accepted_sentence_does_nothing(editor: EditorPage) -> None:
    editor.type_keywords("late bus")
    editor.press("Escape", "Escape")
    editor.expect_text("late bus")
