"""The memory panel: off by default; lists, searches, forgets and exports sentences."""

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.fake_service import FakeService
from tests.browser.page_object import EditorPage


def turn_on_memory(editor: EditorPage) -> None:
    editor.page.get_by_role("switch", name="Memory").click()
    expect(editor.page.locator("#memory-body")).to_be_visible()
    editor.box.focus()


def rows(editor: EditorPage) -> list[str]:
    return editor.page.locator("#memory-list li > span").all_text_contents()


def test_nothing_is_remembered_while_the_memory_is_off(
    editor: EditorPage, service: FakeService
) -> None:
    expect(editor.page.get_by_role("switch")).not_to_be_checked()
    editor.type_keywords("late bus")
    editor.press("Alt+1", "Enter")
    editor.wait_for_timers()
    assert service.request_bodies("/v1/memory") == []
    expect(editor.page.locator("#memory-body")).to_be_hidden()


def test_an_accepted_sentence_is_remembered_when_writing_continues(
    editor: EditorPage, service: FakeService
) -> None:
    turn_on_memory(editor)
    assert service.memory_on
    editor.type_keywords("late bus")
    editor.press("Alt+1")
    editor.wait_for_timers()
    assert service.remembered == {}, "it may still be undone"
    editor.press("Enter")
    expect(editor.page.locator("#memory-list")).to_contain_text("I would like late bus.")
    assert service.remembered == {"I would like late bus.": 1}


def test_an_undone_sentence_is_not_remembered(editor: EditorPage, service: FakeService) -> None:
    turn_on_memory(editor)
    editor.type_keywords("late bus")
    editor.press("Alt+1", "Escape", "x")
    editor.wait_for_timers()
    editor.press("Control+a", "Delete")
    editor.type_keywords("late bus")
    editor.press("Alt+1", "Control+z")
    editor.type("x")
    editor.wait_for_timers()
    assert service.remembered == {}


def test_a_sentence_typed_in_full_is_remembered_when_its_line_ends(
    editor: EditorPage, service: FakeService
) -> None:
    turn_on_memory(editor)
    editor.type("We met at noon. not yet a sentence\n")
    expect(editor.page.locator("#memory-list")).to_contain_text("We met at noon.")
    assert list(service.remembered) == ["We met at noon."]


def test_sentences_can_be_searched_and_forgotten(service: FakeService, open_page: OpenPage) -> None:
    service.memory_on = True
    service.remembered = {"See you at eight.": 3, "Call me back.": 1, "See the doctor.": 1}
    editor = open_page()
    expect(editor.page.locator("#memory-count")).to_have_text("3 remembered")
    assert rows(editor) == ["See you at eight. ×3", "Call me back.", "See the doctor."]
    editor.page.get_by_label("Search what is remembered").fill("see")
    expect(editor.page.locator("#memory-count")).to_have_text("2 of 3")
    editor.page.get_by_role("button", name="Forget: See you at eight.").click()
    expect(editor.page.locator("#memory-list li")).to_have_count(1)
    assert list(service.remembered) == ["Call me back.", "See the doctor."]
    expect(editor.page.get_by_label("Search what is remembered")).to_be_focused()


def test_forgetting_everything_needs_a_confirmation(
    service: FakeService, open_page: OpenPage
) -> None:
    service.memory_on = True
    service.remembered = {"See you at eight.": 3}
    editor = open_page()
    for answer in ["Keep them", "Escape"]:
        editor.page.get_by_role("button", name="Forget all…").click()
        if answer == "Escape":
            editor.press("Escape")
        else:
            editor.page.get_by_role("button", name=answer).click()
        editor.wait_for_timers()
        assert service.remembered
    editor.page.get_by_role("button", name="Forget all…").click()
    editor.page.get_by_role("button", name="Forget all", exact=True).click()
    expect(editor.notice).to_have_text("Everything remembered is forgotten.")
    expect(editor.page.locator("#memory-count")).to_have_text("Nothing is remembered yet.")
    assert service.remembered == {}


def test_the_memory_can_be_exported(
    service: FakeService, open_page: OpenPage, tmp_path: Path
) -> None:
    service.memory_on = True
    service.remembered = {"See you at eight.": 3, "Ruf mich zurück.": 1}
    editor = open_page()
    with editor.page.expect_download() as download:
        editor.page.get_by_role("button", name="Export").click()
    download.value.save_as(tmp_path / "memory.txt")
    assert download.value.suggested_filename == "tersely-memory.txt"
    saved = (tmp_path / "memory.txt").read_text(encoding="utf-8")
    assert saved == "See you at eight.\nRuf mich zurück.\n"


def test_a_change_of_the_memory_clears_cached_completions(
    editor: EditorPage, service: FakeService
) -> None:
    editor.type_keywords("late")
    editor.press("Escape")
    assert len(service.requests_for("late")) == 1
    turn_on_memory(editor)
    editor.press("Space", "Backspace")
    expect(editor.options).to_have_count(3)
    editor.wait_until(lambda: len(service.requests_for("late")) >= 2, "a second request")


def test_a_service_on_the_network_offers_no_memory(
    service: FakeService, open_page: OpenPage
) -> None:
    service.memory_available = False
    editor = open_page()
    expect(editor.page.locator("#memory-about")).to_contain_text("nobody else can reach")
    expect(editor.page.get_by_role("switch")).to_be_disabled()
