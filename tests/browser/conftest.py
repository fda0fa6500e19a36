"""Chromium and the fake service that the browser tests share."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)

from tests.browser.chromium import find_chromium
from tests.browser.fake_service import FakeServer, FakeService
from tests.browser.page_object import TIMEOUT_MS, EditorPage

OpenPage = Callable[..., EditorPage]


# Not session scope: Playwright's event loop would run during tests that start their own.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    executable = find_chromium()
    if executable is None:
        pytest.skip("no Chromium here: try `python -m tests.browser.chromium`")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def server() -> Iterator[FakeServer]:
    with FakeServer() as server:
        yield server


@pytest.fixture
def service(server: FakeServer) -> Iterator[FakeService]:
    """A new fake service on the same port, so that the browser's cache of files stays valid."""
    server.service = FakeService(url=server.url)
    yield server.service
    server.service.release.set()


@pytest.fixture(scope="package")
def desktop(browser: Browser) -> BrowserContext:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    context.set_default_timeout(TIMEOUT_MS)
    return context


@pytest.fixture
def page(desktop: BrowserContext) -> Iterator[Page]:
    """A tab; the test fails if a script raises or violates the content security policy."""
    page = desktop.new_page()
    errors = collect_errors(page)
    yield page
    if page.url.startswith("http"):
        page.evaluate("localStorage.clear()")
    page.close()
    assert not errors


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    """A tab with the screen and the touch input of a phone."""
    context = browser.new_context(
        viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True
    )
    yield context.new_page()
    context.close()


def collect_errors(page: Page) -> list[str]:
    """Return a list that grows with each error in the tab."""
    errors: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            errors.append(message.text)

    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", on_console)
    return errors


@pytest.fixture
def open_page(service: FakeService, page: Page) -> OpenPage:
    """Open the page of the fake service, in the default tab or in another one."""

    def open_page(tab: Page = page) -> EditorPage:
        tab.goto(service.url)
        expect(tab.locator("#editor")).to_be_focused()
        expect(tab.locator("#model-select option").first).to_be_attached()  # settings are loaded
        tab.evaluate("async () => { await document.fonts.ready; }")
        return EditorPage(tab)

    return open_page


@pytest.fixture
def editor(open_page: OpenPage) -> EditorPage:
    return open_page()
