"""Appearance: light and dark, phone to desktop, nothing from elsewhere."""

import re
from collections.abc import Iterator
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Opener
from tests.browser.desk import Desk
from tests.browser.standin import STATIC, StandIn

BRIGHTNESS = """() => {
  const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number);
  return (r + g + b) / 3;
}"""


def test_the_system_decides_until_a_person_does(page: Page, open_desk: Opener) -> None:
    page.emulate_media(color_scheme="dark")
    desk = open_desk()
    button = page.get_by_role("button", name="Dark appearance")
    assert page.evaluate(BRIGHTNESS) < 60
    expect(button).to_have_attribute("aria-pressed", "true")
    page.emulate_media(color_scheme="light")
    assert page.evaluate(BRIGHTNESS) > 200
    expect(button).to_have_attribute("aria-pressed", "false")
    button.click()
    assert page.evaluate(BRIGHTNESS) < 60
    desk = open_desk()
    assert desk.page.evaluate(BRIGHTNESS) < 60, "chosen once, it stays"


@pytest.mark.parametrize("width", [320, 390, 768, 1024, 1280, 1920])
def test_nothing_sticks_out_at_any_width(desk: Desk, width: int) -> None:
    desk.page.set_viewport_size({"width": width, "height": 800})
    desk.ask("late bus from the station")
    assert desk.page.evaluate("document.documentElement.scrollWidth") <= width
    for part in [desk.page.locator(".tersely-list"), desk.box]:
        place = part.bounding_box()
        assert place is not None
        assert place["x"] >= 0
        assert place["x"] + place["width"] <= width


def test_the_list_stands_under_the_line_being_written(desk: Desk) -> None:
    desk.ask("late")
    first = desk.page.locator(".tersely-list").bounding_box()
    desk.press("Escape", "Enter", "Enter")
    desk.ask("bus")
    third = desk.page.locator(".tersely-list").bounding_box()
    assert first is not None
    assert third is not None
    line_height = float(
        desk.box.evaluate("box => getComputedStyle(box).lineHeight").removesuffix("px")
    )
    assert third["y"] - first["y"] == pytest.approx(2 * line_height, abs=2)


def test_without_room_below_the_list_stands_above(desk: Desk) -> None:
    desk.page.set_viewport_size({"width": 1280, "height": 330})
    desk.type("Hello.\n" * 8)
    desk.ask("late")
    place = desk.page.locator(".tersely-list").bounding_box()
    assert place is not None
    assert place["y"] >= 0
    assert place["y"] + place["height"] <= 330


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True
    )
    yield context.new_page()
    context.close()


def test_on_a_phone_a_finger_is_enough(phone: Page, open_desk: Opener) -> None:
    desk = open_desk(phone)
    desk.ask("late bus")
    for option in desk.options.all():
        place = option.bounding_box()
        assert place is not None
        assert place["height"] >= 44
    desk.options.nth(1).tap()
    desk.holds("Can we talk about late bus?")
    desk.again.tap()
    desk.holds("late bus ")


def test_motion_is_left_out_where_that_is_wished(page: Page, open_desk: Opener) -> None:
    page.emulate_media(reduced_motion="reduce")
    desk = open_desk()
    desk.ask("late")
    moving = page.evaluate("document.getAnimations().filter((one) => one.playState === 'running')")
    assert moving == []


def test_nothing_is_asked_of_anyone_else(page: Page, standin: StandIn, open_desk: Opener) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    desk = open_desk()
    desk.ask("late")
    assert len(asked) > 20
    assert [url for url in asked if not url.startswith((standin.url, "data:"))] == []


@pytest.mark.parametrize("path", sorted(STATIC.rglob("*.*")), ids=lambda path: path.name)
def test_a_file_names_only_files_that_are_there(path) -> None:  # type: ignore[no-untyped-def]
    if path.suffix not in (".html", ".css", ".js"):
        assert path.suffix in (".svg", ".woff2", ".txt")
        return
    source = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = re.findall(r"""(?:\bhref=|\bsrc=|url\(|\bfrom )["']([^"']+)["']""", source)
    for name in found:
        assert not re.match(r"[a-z]+:|//", name), f"{path.name} reaches out to {name}"
        below = urljoin(path.relative_to(STATIC).as_posix(), name)
        assert (STATIC / below).is_file(), f"{path.name}: {name}"
