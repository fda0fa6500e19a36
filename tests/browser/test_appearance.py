"""Appearance: light and dark, screen sizes, and no resources of other hosts."""

import re
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.fake_service import STATIC, FakeService
from tests.browser.page_object import EditorPage

BRIGHTNESS = """() => {
  const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number);
  return (r + g + b) / 3;
}"""


def test_the_appearance_is_that_of_the_system_until_the_user_chooses(
    page: Page, open_page: OpenPage
) -> None:
    page.emulate_media(color_scheme="dark")
    editor = open_page()
    button = page.get_by_role("button", name="Dark appearance")
    assert page.evaluate(BRIGHTNESS) < 60
    expect(button).to_have_attribute("aria-pressed", "true")
    page.emulate_media(color_scheme="light")
    assert page.evaluate(BRIGHTNESS) > 200
    expect(button).to_have_attribute("aria-pressed", "false")
    button.click()
    assert page.evaluate(BRIGHTNESS) < 60
    editor = open_page()
    assert editor.page.evaluate(BRIGHTNESS) < 60, "the choice is saved"


@pytest.mark.parametrize("width", [320, 390, 768, 1024, 1280, 1920])
def test_nothing_overflows_at_any_width(editor: EditorPage, width: int) -> None:
    editor.page.set_viewport_size({"width": width, "height": 800})
    editor.type_keywords("late bus from the station")
    assert editor.page.evaluate("document.documentElement.scrollWidth") <= width
    for part in [editor.page.locator(".tersely-list"), editor.box]:
        place = part.bounding_box()
        assert place is not None
        assert place["x"] >= 0
        assert place["x"] + place["width"] <= width


def test_the_list_is_below_the_current_line(editor: EditorPage) -> None:
    editor.type_keywords("late")
    first = editor.page.locator(".tersely-list").bounding_box()
    editor.press("Escape", "Enter", "Enter")
    editor.type_keywords("bus")
    third = editor.page.locator(".tersely-list").bounding_box()
    assert first is not None
    assert third is not None
    line_height = float(
        editor.box.evaluate("box => getComputedStyle(box).lineHeight").removesuffix("px")
    )
    assert third["y"] - first["y"] == pytest.approx(2 * line_height, abs=2)


def test_without_room_below_the_list_is_above_the_line(editor: EditorPage) -> None:
    editor.page.set_viewport_size({"width": 1280, "height": 330})
    editor.type("Hello.\n" * 8)
    editor.type_keywords("late")
    place = editor.page.locator(".tersely-list").bounding_box()
    assert place is not None
    assert place["y"] >= 0
    assert place["y"] + place["height"] <= 330


def test_on_a_phone_suggestions_are_accepted_and_undone_by_touch(
    phone: Page, open_page: OpenPage
) -> None:
    editor = open_page(phone)
    editor.type_keywords("late bus")
    for option in editor.options.all():
        place = option.bounding_box()
        assert place is not None
        assert place["height"] >= 44
    editor.options.nth(1).tap()
    editor.expect_text("Can we talk about late bus?")
    editor.undo_button.tap()
    editor.expect_text("late bus ")


def test_reduced_motion_stops_animations(page: Page, open_page: OpenPage) -> None:
    page.emulate_media(reduced_motion="reduce")
    editor = open_page()
    editor.type_keywords("late")
    moving = page.evaluate(
        "document.getAnimations().filter((animation) => animation.playState === 'running')"
    )
    assert moving == []


def test_no_request_goes_to_another_host(
    page: Page, service: FakeService, open_page: OpenPage
) -> None:
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    editor = open_page()
    editor.type_keywords("late")
    assert len(urls) > 20
    assert [url for url in urls if not url.startswith((service.url, "data:"))] == []


def test_files_refer_only_to_files_that_exist() -> None:
    for path in sorted(STATIC.rglob("*.*")):
        if path.suffix not in (".html", ".css", ".js"):
            assert path.suffix in (".svg", ".woff2", ".txt")
            continue
        source = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        references = re.findall(r"""(?:\bhref=|\bsrc=|url\(|\bfrom )["']([^"']+)["']""", source)
        for reference in references:
            assert not re.match(r"[a-z]+:|//", reference), f"{path.name} loads {reference}"
            target = urljoin(path.relative_to(STATIC).as_posix(), reference)
            assert (STATIC / target).is_file(), f"{path.name}: {reference}"
