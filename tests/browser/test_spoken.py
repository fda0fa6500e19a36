"""What a screen reader is told, and what axe-core has to say about all of it."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opener
from tests.browser.desk import Desk
from tests.browser.standin import StandIn

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")


def complaints(page: Page) -> list[str]:
    """What axe-core finds wrong, every rule on, best practices included."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)  # not a script element: the page's policy would refuse it
    found: dict[str, Any] = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert len(found["passes"]) > 10, "axe-core did not really look"
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def spoken(desk: Desk) -> Any:
    return expect(desk.page.locator(".tersely-spoken"))


def test_the_count_is_spoken_once_the_keys_rest(desk: Desk) -> None:
    desk.ask("late")
    spoken(desk).to_have_text("3 suggestions. Down arrow to choose.")
    expect(desk.page.locator(".tersely-spoken")).to_have_attribute("aria-live", "polite")


def test_no_suggestions_are_spoken_too(desk: Desk, standin: StandIn) -> None:
    standin.suggest = lambda question: []
    desk.type("late")
    spoken(desk).to_have_text("No suggestions.")


def test_the_active_suggestion_is_pointed_at(desk: Desk) -> None:
    desk.ask("late")
    assert desk.box.get_attribute("aria-activedescendant") is None
    desk.press("ArrowDown")
    expect(desk.active()).to_have_text("1I would like late.")
    expect(desk.active()).to_have_attribute("aria-selected", "true")
    desk.press("ArrowDown")
    expect(desk.active()).to_contain_text("Can we")
    assert desk.page.locator("[role=option][aria-selected=true]").count() == 1
    desk.press("ArrowDown", "ArrowDown")
    assert desk.box.get_attribute("aria-activedescendant") is None, "back in the text"


def test_the_box_says_that_it_has_a_list_and_which(desk: Desk) -> None:
    expect(desk.box).to_have_attribute("aria-autocomplete", "list")
    expect(desk.box).to_have_attribute("aria-haspopup", "listbox")
    assert desk.box.get_attribute("aria-controls") is None
    desk.ask("late")
    listed = desk.box.get_attribute("aria-controls")
    expect(desk.page.locator(f"[id='{listed}']")).to_have_role("listbox")
    desk.press("Escape")
    assert desk.box.get_attribute("aria-controls") is None


def test_accepting_is_spoken_with_the_way_back(desk: Desk) -> None:
    desk.ask("late")
    desk.press("Alt+1")
    spoken(desk).to_have_text("Accepted: I would like late. Escape brings the keywords back.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_wrong_in_any_state(
    scheme: str, page: Page, standin: StandIn, open_desk: Opener
) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    standin.models = ("everyday", "restaurant")
    standin.memory_on = True
    standin.remembered = {"See you at eight.": 2}
    desk = open_desk()
    expect(page.get_by_role("button", name="Forget: See you at eight.")).to_be_visible()
    assert complaints(page) == []
    desk.ask("late bus")
    desk.press("ArrowDown")
    assert complaints(page) == []
    desk.press("Enter")
    expect(page.locator("#enough-shaded")).to_be_visible()
    expect(desk.again).to_be_visible()
    assert complaints(page) == []
    page.locator("#enough-budget").fill("20")
    page.get_by_role("button", name="Forget all").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert complaints(page) == []
