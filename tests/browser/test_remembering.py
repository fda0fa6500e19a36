"""Memory: off until switched on; then seen, searched, forgotten and taken along."""

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.desk import Desk
from tests.browser.standin import StandIn


def switch_on(desk: Desk) -> None:
    desk.page.get_by_role("switch", name="Memory").click()
    expect(desk.page.locator("#memory-body")).to_be_visible()
    desk.box.focus()


def rows(desk: Desk) -> list[str]:
    return desk.page.locator("#memory-list li > span").all_text_contents()


def test_nothing_is_remembered_until_it_is_switched_on(desk: Desk, standin: StandIn) -> None:
    expect(desk.page.get_by_role("switch")).not_to_be_checked()
    desk.ask("late bus")
    desk.press("Alt+1", "Enter")
    desk.settle()
    assert standin.asked("/v1/memory") == []
    expect(desk.page.locator("#memory-body")).to_be_hidden()


def test_accepted_sentences_are_remembered_once_the_writing_goes_on(
    desk: Desk, standin: StandIn
) -> None:
    switch_on(desk)
    assert standin.memory_on
    desk.ask("late bus")
    desk.press("Alt+1")
    desk.settle()
    assert standin.remembered == {}, "it may still be sent back"
    desk.press("Enter")
    expect(desk.page.locator("#memory-list")).to_contain_text("I would like late bus.")
    assert standin.remembered == {"I would like late bus.": 1}


def test_what_was_sent_back_or_undone_is_not_remembered(desk: Desk, standin: StandIn) -> None:
    switch_on(desk)
    desk.ask("late bus")
    desk.press("Alt+1", "Escape", "x")
    desk.settle()
    desk.press("Control+a", "Delete")
    desk.ask("late bus")
    desk.press("Alt+1", "Control+z")
    desk.type("x")
    desk.settle()
    assert standin.remembered == {}


def test_a_sentence_written_in_full_is_remembered_with_its_line(
    desk: Desk, standin: StandIn
) -> None:
    switch_on(desk)
    desk.type("We met at noon. not yet a sentence\n")
    expect(desk.page.locator("#memory-list")).to_contain_text("We met at noon.")
    assert list(standin.remembered) == ["We met at noon."]


def test_it_can_be_searched_and_forgotten_one_by_one(standin: StandIn, open_desk: Opener) -> None:
    standin.memory_on = True
    standin.remembered = {"See you at eight.": 3, "Call me back.": 1, "See the doctor.": 1}
    desk = open_desk()
    expect(desk.page.locator("#memory-count")).to_have_text("3 remembered")
    assert rows(desk) == ["See you at eight. ×3", "Call me back.", "See the doctor."]
    desk.page.get_by_label("Search what is remembered").fill("see")
    expect(desk.page.locator("#memory-count")).to_have_text("2 of 3")
    desk.page.get_by_role("button", name="Forget: See you at eight.").click()
    expect(desk.page.locator("#memory-list li")).to_have_count(1)
    assert list(standin.remembered) == ["Call me back.", "See the doctor."]
    expect(desk.page.get_by_label("Search what is remembered")).to_be_focused()


def test_everything_is_forgotten_only_when_confirmed(standin: StandIn, open_desk: Opener) -> None:
    standin.memory_on = True
    standin.remembered = {"See you at eight.": 3}
    desk = open_desk()
    for answer in ["Keep them", "Escape"]:
        desk.page.get_by_role("button", name="Forget all…").click()
        if answer == "Escape":
            desk.press("Escape")
        else:
            desk.page.get_by_role("button", name=answer).click()
        desk.settle()
        assert standin.remembered
    desk.page.get_by_role("button", name="Forget all…").click()
    desk.page.get_by_role("button", name="Forget all", exact=True).click()
    expect(desk.notice).to_have_text("Everything remembered is forgotten.")
    expect(desk.page.locator("#memory-count")).to_have_text("Nothing is remembered yet.")
    assert standin.remembered == {}


def test_it_can_be_exported(standin: StandIn, open_desk: Opener, tmp_path: Path) -> None:
    standin.memory_on = True
    standin.remembered = {"See you at eight.": 3, "Ruf mich zurück.": 1}
    desk = open_desk()
    with desk.page.expect_download() as download:
        desk.page.get_by_role("button", name="Export").click()
    download.value.save_as(tmp_path / "memory.txt")
    assert download.value.suggested_filename == "tersely-memory.txt"
    saved = (tmp_path / "memory.txt").read_text(encoding="utf-8")
    assert saved == "See you at eight.\nRuf mich zurück.\n"


def test_answers_kept_before_a_change_of_memory_are_asked_again(
    desk: Desk, standin: StandIn
) -> None:
    desk.ask("late")
    desk.press("Escape")
    assert len(standin.asked_about("late")) == 1
    switch_on(desk)
    desk.press("Space", "Backspace")
    expect(desk.options).to_have_count(3)
    desk.wait_until(lambda: len(standin.asked_about("late")) >= 2, "a second question")


def test_where_others_can_reach_the_service_there_is_none(
    standin: StandIn, open_desk: Opener
) -> None:
    standin.memory_available = False
    desk = open_desk()
    expect(desk.page.locator("#memory-about")).to_contain_text("nobody else can reach")
    expect(desk.page.get_by_role("switch")).to_be_disabled()
