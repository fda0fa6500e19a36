"""Screenshots for the README: the page with a real model, light, dark and on a phone.

`python -m tests.browser.screenshots` writes them to docs/images/.
"""

import argparse
from pathlib import Path

from playwright.sync_api import Browser, Response, ViewportSize, expect, sync_playwright

from tests.browser.chromium import find_chromium
from tests.browser.fake_service import FakeService
from tests.browser.manual_server import from_model
from tests.browser.page_object import EditorPage

IMAGES = Path(__file__).parents[2] / "docs" / "images"
ACCEPTED = ("thank help yester", "can meet tomorrow af")
LAST = "where station?"
SLOW_MODEL_MS = 60_000


def take_screenshot(
    browser: Browser, service: FakeService, path: Path, *, is_dark: bool, is_phone: bool
) -> None:
    """Write two sentences, select a suggestion for a third, and save a screenshot."""
    size: ViewportSize = (
        {"width": 390, "height": 780} if is_phone else {"width": 1280, "height": 800}
    )
    context = browser.new_context(
        viewport=size,
        device_scale_factor=2,
        color_scheme="dark" if is_dark else "light",
        reduced_motion="reduce",
        has_touch=is_phone,
        is_mobile=is_phone,
    )
    page = context.new_page()
    page.goto(service.url)
    editor = EditorPage(page)
    expect(editor.box).to_be_focused()
    for keywords in ACCEPTED:
        type_and_wait(editor, keywords)
        editor.press("Alt+1", "Enter")
    expect(page.locator("#keywords-shaded")).to_be_visible(timeout=SLOW_MODEL_MS)
    type_and_wait(editor, LAST)
    editor.press("ArrowDown")
    page.screenshot(path=path)
    context.close()


def type_and_wait(editor: EditorPage, keywords: str) -> None:
    """Type keywords and wait for the response to all of them."""

    def is_complete(response: Response) -> bool:
        if not response.url.endswith("/v1/complete"):
            return False
        body = response.request.post_data_json or {}
        return bool(body["keywords"] == keywords)

    with editor.page.expect_response(is_complete, timeout=SLOW_MODEL_MS):
        editor.type(keywords)
    expect(editor.options.first).to_be_visible()


def main() -> None:
    """Take the three screenshots."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="a run or model folder (default: the one that ships)")
    parser.add_argument("--out", type=Path, default=IMAGES, help="the folder to write")
    arguments = parser.parse_args()
    executable = find_chromium()
    if executable is None:
        parser.exit(1, "No Chromium here: try `python -m tests.browser.chromium`.\n")
    arguments.out.mkdir(parents=True, exist_ok=True)
    with from_model(arguments.model).serving() as service, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable)
        take_screenshot(
            browser, service, arguments.out / "page-light.png", is_dark=False, is_phone=False
        )
        take_screenshot(
            browser, service, arguments.out / "page-dark.png", is_dark=True, is_phone=False
        )
        take_screenshot(
            browser, service, arguments.out / "page-phone.png", is_dark=False, is_phone=True
        )
        browser.close()


if __name__ == "__main__":
    main()
