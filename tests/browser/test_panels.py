"""The panels: which words were enough, and keystrokes typed and saved."""

from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.desk import Desk
from tests.browser.standin import StandIn, suggestion


def typed_tokens(desk: Desk) -> list[str]:
    return desk.page.locator("#enough-shaded .token-typed").all_text_contents()


def test_a_sentence_written_shows_which_words_were_enough(desk: Desk) -> None:
    desk.type("The waiter was friendly. ")
    expect(desk.page.locator("#enough-shaded")).to_have_text("The waiter was friendly.")
    assert typed_tokens(desk) == ["waiter", "friendly"]
    expect(desk.page.locator("#enough-summary")).to_have_text(
        "waiter friendly 15 of 24 characters, 38 % saved"
    )


def test_a_sentence_accepted_does_too(desk: Desk) -> None:
    desk.ask("late bus")
    desk.press("Alt+1")
    expect(desk.page.locator("#enough-shaded")).to_have_text("I would like late bus.")


def test_shading_tells_how_likely_a_word_is_kept(desk: Desk) -> None:
    desk.page.locator("#enough-sentence").fill("A friendly waiter 🎉 came.")
    tokens = desk.page.locator("#enough-shaded .token")
    expect(tokens).to_have_text(["A", "friendly", "waiter", "🎉", "came", "."])
    shades = tokens.evaluate_all("all => all.map((one) => getComputedStyle(one).backgroundColor)")
    assert len(set(shades)) >= 4
    expect(tokens.nth(1)).to_have_attribute("title", "kept with 100 %")


def test_a_pasted_sentence_goes_before_the_written_one(desk: Desk) -> None:
    desk.type("The waiter was friendly. ")
    desk.page.locator("#enough-sentence").fill("Soup is cold.")
    expect(desk.page.locator("#enough-shaded")).to_have_text("Soup is cold.")
    desk.box.press_sequentially("We left. ")
    desk.settle()
    expect(desk.page.locator("#enough-shaded")).to_have_text("Soup is cold.")
    desk.page.locator("#enough-sentence").fill("")
    expect(desk.page.locator("#enough-shaded")).to_have_text("We left.")


def test_the_slider_sets_the_budget_and_a_button_gives_it_back(
    desk: Desk, standin: StandIn
) -> None:
    panel = desk.page
    panel.locator("#enough-sentence").fill("One two three seven fifteen.")
    expect(panel.locator("#enough-shaded .token-typed")).to_have_count(3)
    assert standin.asked("/v1/keywords")[-1]["budget"] is None
    expect(panel.locator("#enough-share")).to_have_text("as the model would")
    panel.locator("#enough-budget").fill("15")
    expect(panel.locator("#enough-shaded .token-typed")).to_have_text(["fifteen"])
    expect(panel.locator("#enough-share")).to_have_text("15 %")
    assert standin.asked("/v1/keywords")[-1]["budget"] == 0.15
    panel.locator("#enough-budget").fill("100")
    expect(panel.locator("#enough-shaded .token-typed")).to_have_count(6)
    panel.get_by_role("button", name="Let the model choose").click()
    expect(panel.locator("#enough-shaded .token-typed")).to_have_count(3)
    expect(panel.locator("#enough-budget")).to_be_focused()


def test_what_is_too_long_to_ask_is_said_so(desk: Desk, standin: StandIn) -> None:
    desk.page.locator("#enough-sentence").fill("word " * 50)
    expect(desk.page.locator("#enough-summary")).to_contain_text("up to 200 characters")
    assert standin.asked("/v1/keywords") == []


class Totals:
    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def are(self, typed: int, saved: int) -> None:
        expect(self.desk.page.locator("#totals-typed")).to_have_text(str(typed))
        expect(self.desk.page.locator("#totals-saved")).to_have_text(str(saved))


def test_keystrokes_typed_and_saved_are_counted(desk: Desk) -> None:
    totals = Totals(desk)
    totals.are(0, 0)
    desk.ask("late bus")
    totals.are(8, 0)
    desk.press("Alt+1")  # "I would like late bus.": 22 letters from 8, and one key to choose
    totals.are(9, 13)
    expect(desk.page.locator("#totals-share")).to_have_text("59 %")
    desk.press("Space", "Backspace")
    totals.are(11, 13)


def test_what_is_sent_back_or_undone_is_not_saved(desk: Desk) -> None:
    totals = Totals(desk)
    desk.ask("late bus")
    desk.press("Alt+1", "Control+z")
    totals.are(10, -1)
    desk.press("Escape", "Control+Shift+z")
    totals.are(12, 12)
    desk.press("Control+z")
    expect(desk.options).to_have_count(3)
    desk.press("Alt+1")
    totals.are(14, 11)
    desk.press("Escape")  # back to "late bus ", one blank more than was typed
    totals.are(15, -3)


def test_words_accepted_one_by_one_count_too(desk: Desk, standin: StandIn) -> None:
    standin.suggest = lambda question: [suggestion("late bus", "I would like late bus.")]
    desk.ask("late bus", count=1)
    desk.press("ArrowRight", "ArrowRight")  # "I would late bus": 8 letters for 2 keys
    Totals(desk).are(10, 6)


def test_totals_outlive_a_reload_and_start_over_on_demand(desk: Desk, open_desk: Opener) -> None:
    desk.type("late")
    Totals(desk).are(4, 0)
    again = Totals(open_desk())
    again.are(4, 0)
    desk.page.get_by_role("button", name="Start over").click()
    again.are(0, 0)
