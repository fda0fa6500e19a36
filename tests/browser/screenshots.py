"""The README's pictures: the page with a real model, light, dark and on a phone.

`python -m tests.browser.screenshots` writes them to docs/images/.
"""

import argparse
from pathlib import Path

from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.by_hand import from_model
from tests.browser.chromium import find_chromium
from tests.browser.desk import Desk
from tests.browser.standin import StandIn

IMAGES = Path(__file__).parents[2] / "docs" / "images"
ACCEPTED = ("thank help yester", "can meet tomorrow af")
LAST = "where station?"
SLOW_MODEL_MS = 60_000


def take(browser: Browser, standin: StandIn, name: str, *, scheme: str, is_phone: bool) -> None:
    """Write two sentences, ask for a third, choose one, and take a picture of it."""
    size = {"width": 390, "height": 780} if is_phone else {"width": 1280, "height": 800}
    context = browser.new_context(
        viewport=size,
        device_scale_factor=2,
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
        has_touch=is_phone,
        is_mobile=is_phone,
    )
    page = context.new_page()
    page.goto(standin.url)
    desk = Desk(page)
    expect(desk.box).to_be_focused()
    for keywords in ACCEPTED:
        answered(desk, keywords)
        desk.press("Alt+1", "Enter")
    expect(page.locator("#enough-shaded")).to_be_visible(timeout=SLOW_MODEL_MS)
    answered(desk, LAST)
    desk.press("ArrowDown")
    page.screenshot(path=IMAGES / f"{name}.png")
    context.close()


def answered(desk: Desk, keywords: str) -> None:
    """Type keywords; wait for the answer to all of them."""
    whole = lambda request: request.post_data_json["keywords"] == keywords  # noqa: E731
    with desk.page.expect_response(
        lambda answer: answer.url.endswith("/v1/complete") and whole(answer.request),
        timeout=SLOW_MODEL_MS,
    ):
        desk.type(keywords)
    expect(desk.options.first).to_be_visible()


def main() -> None:
    """Take all three."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="a run or model folder (the one that ships)")
    arguments = parser.parse_args()
    executable = find_chromium()
    if executable is None:
        parser.exit(1, "No Chromium here: try `python -m tests.browser.chromium`.\n")
    IMAGES.mkdir(parents=True, exist_ok=True)
    with from_model(arguments.model).serving() as standin, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable)
        take(browser, standin, "page-light", scheme="light", is_phone=False)
        take(browser, standin, "page-dark", scheme="dark", is_phone=False)
        take(browser, standin, "page-phone", scheme="light", is_phone=True)
        browser.close()


if __name__ == "__main__":
    main()
