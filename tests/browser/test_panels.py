"""The panels of keywords and of keystrokes."""

from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.fake_service import FakeService, suggestion
from tests.browser.page_object import EditorPage


def typed_tokens(editor: EditorPage) -> list[str]:
    return editor.page.locator("#keywords-shaded .token-typed").all_text_contents()


def test_the_panel_shows_the_keywords_of_a_typed_sentence(editor: EditorPage) -> None:
    editor.type("The waiter was friendly. ")
    expect(editor.page.locator("#keywords-shaded")).to_have_text("The waiter was friendly.")
    assert typed_tokens(editor) == ["waiter", "friendly"]
    expect(editor.page.locator("#keywords-summary")).to_have_text(
        "waiter friendly 15 of 24 characters, 38 % saved"
    )


def test_the_panel_shows_the_keywords_of_an_accepted_sentence(editor: EditorPage) -> None:
    editor.type_keywords("late bus")
    editor.press("Alt+1")
    expect(editor.page.locator("#keywords-shaded")).to_have_text("I would like late bus.")


def test_words_are_shaded_by_their_keep_probability(editor: EditorPage) -> None:
    editor.page.locator("#keywords-sentence").fill("A friendly waiter 🎉 came.")
    tokens = editor.page.locator("#keywords-shaded .token")
    expect(tokens).to_have_text(["A", "friendly", "waiter", "🎉", "came", "."])
    shades = tokens.evaluate_all(
        "all => all.map((token) => getComputedStyle(token).backgroundColor)"
    )
    assert len(set(shades)) >= 4
    expect(tokens.nth(1)).to_have_attribute("title", "kept with 100 %")


def test_a_pasted_sentence_takes_precedence(editor: EditorPage) -> None:
    editor.type("The waiter was friendly. ")
    editor.page.locator("#keywords-sentence").fill("Soup is cold.")
    expect(editor.page.locator("#keywords-shaded")).to_have_text("Soup is cold.")
    editor.box.press_sequentially("We left. ")
    editor.wait_for_timers()
    expect(editor.page.locator("#keywords-shaded")).to_have_text("Soup is cold.")
    editor.page.locator("#keywords-sentence").fill("")
    expect(editor.page.locator("#keywords-shaded")).to_have_text("We left.")


def test_the_slider_sets_the_budget_and_a_button_resets_it(
    editor: EditorPage, service: FakeService
) -> None:
    panel = editor.page
    panel.locator("#keywords-sentence").fill("One two three seven fifteen.")
    expect(panel.locator("#keywords-shaded .token-typed")).to_have_count(3)
    assert service.request_bodies("/v1/keywords")[-1]["budget"] is None
    expect(panel.locator("#keywords-share")).to_have_text("as the model would")
    panel.locator("#keywords-budget").fill("15")
    expect(panel.locator("#keywords-shaded .token-typed")).to_have_text(["fifteen"])
    expect(panel.locator("#keywords-share")).to_have_text("15 %")
    assert service.request_bodies("/v1/keywords")[-1]["budget"] == 0.15
    panel.locator("#keywords-budget").fill("100")
    expect(panel.locator("#keywords-shaded .token-typed")).to_have_count(6)
    panel.get_by_role("button", name="Let the model choose").click()
    expect(panel.locator("#keywords-shaded .token-typed")).to_have_count(3)
    expect(panel.locator("#keywords-budget")).to_be_focused()


def test_a_sentence_that_is_too_long_shows_a_message(
    editor: EditorPage, service: FakeService
) -> None:
    editor.page.locator("#keywords-sentence").fill("word " * 50)
    expect(editor.page.locator("#keywords-summary")).to_contain_text("up to 200 characters")
    assert service.request_bodies("/v1/keywords") == []


def expect_keystrokes(editor: EditorPage, *, typed: int, saved: int) -> None:
    expect(editor.page.locator("#keystrokes-typed")).to_have_text(str(typed))
    expect(editor.page.locator("#keystrokes-saved")).to_have_text(str(saved))


def test_keystrokes_typed_and_saved_are_counted(editor: EditorPage) -> None:
    expect_keystrokes(editor, typed=0, saved=0)
    editor.type_keywords("late bus")
    expect_keystrokes(editor, typed=8, saved=0)
    editor.press("Alt+1")  # "I would like late bus.": 22 characters from 8, and one key
    expect_keystrokes(editor, typed=9, saved=13)
    expect(editor.page.locator("#keystrokes-share")).to_have_text("59 %")
    editor.press("Space", "Backspace")
    expect_keystrokes(editor, typed=11, saved=13)


def test_an_undone_sentence_saves_no_keystrokes(editor: EditorPage) -> None:
    editor.type_keywords("late bus")
    editor.press("Alt+1", "Control+z")
    expect_keystrokes(editor, typed=10, saved=-1)
    editor.press("Escape", "Control+Shift+z")
    expect_keystrokes(editor, typed=12, saved=12)
    editor.press("Control+z")
    expect(editor.options).to_have_count(3)
    editor.press("Alt+1")
    expect_keystrokes(editor, typed=14, saved=11)
    editor.press("Escape")  # back to "late bus ", one space more than was typed
    expect_keystrokes(editor, typed=15, saved=-3)


def test_words_accepted_one_by_one_are_counted(editor: EditorPage, service: FakeService) -> None:
    service.suggest = lambda request: [suggestion("late bus", "I would like late bus.")]
    editor.type_keywords("late bus", count=1)
    editor.press("ArrowRight", "ArrowRight")  # "I would late bus": 8 characters for 2 keys
    expect_keystrokes(editor, typed=10, saved=6)


def test_keystrokes_survive_a_reload_and_can_be_reset(
    editor: EditorPage, open_page: OpenPage
) -> None:
    editor.type("late")
    expect_keystrokes(editor, typed=4, saved=0)
    editor = open_page()
    expect_keystrokes(editor, typed=4, saved=0)
    editor.page.get_by_role("button", name="Start over").click()
    expect_keystrokes(editor, typed=0, saved=0)
