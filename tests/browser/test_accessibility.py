"""Announcements, ARIA attributes, and the rules of axe-core."""

from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.fake_service import FakeService
from tests.browser.page_object import EditorPage

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")


def violations(page: Page) -> list[str]:
    """Return the violations that axe-core finds with every rule, best practices included."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)  # a script element would violate the content security policy
    results: dict[str, Any] = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert len(results["passes"]) > 10, "axe-core checked too little"
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in results["violations"]
        for node in rule["nodes"]
    ]


def expect_announcement(editor: EditorPage, text: str) -> None:
    expect(editor.page.locator(".tersely-announcer")).to_have_text(text)


def test_the_number_of_suggestions_is_announced(editor: EditorPage) -> None:
    editor.type_keywords("late")
    expect_announcement(editor, "3 suggestions. Down arrow to choose.")
    expect(editor.page.locator(".tersely-announcer")).to_have_attribute("aria-live", "polite")


def test_no_suggestions_are_announced(editor: EditorPage, service: FakeService) -> None:
    service.suggest = lambda request: []
    editor.type("late")
    expect_announcement(editor, "No suggestions.")


def test_the_box_refers_to_the_selected_suggestion(editor: EditorPage) -> None:
    editor.type_keywords("late")
    assert editor.box.get_attribute("aria-activedescendant") is None
    editor.press("ArrowDown")
    expect(editor.selected_option()).to_have_text("1I would like late.")
    expect(editor.selected_option()).to_have_attribute("aria-selected", "true")
    editor.press("ArrowDown")
    expect(editor.selected_option()).to_contain_text("Can we")
    assert editor.page.locator("[role=option][aria-selected=true]").count() == 1
    editor.press("ArrowDown", "ArrowDown")
    assert editor.box.get_attribute("aria-activedescendant") is None, "back in the text box"


def test_the_box_refers_to_its_list(editor: EditorPage) -> None:
    expect(editor.box).to_have_attribute("aria-autocomplete", "list")
    expect(editor.box).to_have_attribute("aria-haspopup", "listbox")
    assert editor.box.get_attribute("aria-controls") is None
    editor.type_keywords("late")
    list_id = editor.box.get_attribute("aria-controls")
    expect(editor.page.locator(f"[id='{list_id}']")).to_have_role("listbox")
    editor.press("Escape")
    assert editor.box.get_attribute("aria-controls") is None


def test_accepting_is_announced_with_the_undo_key(editor: EditorPage) -> None:
    editor.type_keywords("late")
    editor.press("Alt+1")
    expect_announcement(editor, "Accepted: I would like late. Escape brings the keywords back.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_in_any_state(
    scheme: Literal["light", "dark"], page: Page, service: FakeService, open_page: OpenPage
) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    service.models = ("everyday", "restaurant")
    service.memory_on = True
    service.remembered = {"See you at eight.": 2}
    editor = open_page()
    expect(page.get_by_role("button", name="Forget: See you at eight.")).to_be_visible()
    assert violations(page) == []
    editor.type_keywords("late bus")
    editor.press("ArrowDown")
    assert violations(page) == []
    editor.press("Enter")
    expect(page.locator("#keywords-shaded")).to_be_visible()
    expect(editor.undo_button).to_be_visible()
    assert violations(page) == []
    page.locator("#keywords-budget").fill("20")
    page.get_by_role("button", name="Forget all").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert violations(page) == []
