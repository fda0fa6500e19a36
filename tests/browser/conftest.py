"""A real Chromium and a service that stands in; both are gone when these tests are done."""

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
from tests.browser.desk import PATIENCE_MS, Desk
from tests.browser.standin import Server, StandIn


# Not for the session: while it lives its event loop runs, and other tests want their own.
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
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


@pytest.fixture
def standin(server: Server) -> Iterator[StandIn]:
    """A fresh one behind the same port, so that the browser knows its files already."""
    server.standin = StandIn(url=server.url)
    yield server.standin
    server.standin.release.set()


@pytest.fixture(scope="package")
def desktop(browser: Browser) -> BrowserContext:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MS)
    return context


@pytest.fixture
def page(desktop: BrowserContext) -> Iterator[Page]:
    """A tab in which no script may fail, and no policy be broken, unseen."""
    page = desktop.new_page()
    broken = watch(page)
    yield page
    if page.url.startswith("http"):
        page.evaluate("localStorage.clear()")
    page.close()
    assert not broken


def watch(page: Page) -> list[str]:
    """What breaks in a tab, as it breaks."""
    broken: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            broken.append(message.text)

    page.on("pageerror", lambda error: broken.append(str(error)))
    page.on("console", heard)
    return broken


Opener = Callable[..., Desk]


@pytest.fixture
def open_desk(standin: StandIn, page: Page) -> Opener:
    """Open the page of the stand-in, in this tab if no other is given."""

    def open_it(tab: Page = page) -> Desk:
        tab.goto(standin.url)
        expect(tab.locator("#writing")).to_be_focused()
        expect(tab.locator("#model-choice option").first).to_be_attached()  # settings have come
        tab.evaluate("async () => { await document.fonts.ready; }")
        return Desk(tab)

    return open_it


@pytest.fixture
def desk(open_desk: Opener) -> Desk:
    return open_desk()
