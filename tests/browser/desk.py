"""The page as a person at the keyboard has it: a text, a list, keys."""

import time
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

# Machines that run tests may be busy.
PATIENCE_MS = 30_000
expect.set_options(timeout=PATIENCE_MS)


class Desk:
    """The page, opened."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.box = page.locator("#writing")
        self.options = page.locator(".tersely-list").get_by_role("option")
        self.again = page.locator(".tersely-again")
        self.notice = page.locator("#notice")

    def type(self, text: str, *, delay: float = 0) -> None:
        """Key by key, where the focus is."""
        self.page.keyboard.type(text, delay=delay)

    def press(self, *keys: str) -> None:
        """One key after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def ask(self, keywords: str, count: int = 3) -> list[str]:
        """Type keywords, wait for their suggestions, and read them."""
        self.type(keywords)
        expect(self.options).to_have_count(count)
        expect(self.options.first).to_contain_text(keywords.split()[-1])
        return self.sentences()

    def sentences(self) -> list[str]:
        """The suggestions shown."""
        return self.page.locator(".tersely-sentence").all_text_contents()

    def holds(self, text: str) -> None:
        """The box holds exactly this text."""
        expect(self.box).to_have_value(text)

    def is_quiet(self) -> None:
        """No list is shown."""
        expect(self.page.locator(".tersely-list")).to_be_hidden()

    def active(self) -> Locator:
        """The suggestion a screen reader would read."""
        pointed = self.box.get_attribute("aria-activedescendant")
        assert pointed, "no suggestion is active"
        return self.page.locator(f"[id='{pointed}']")

    def wait_until(self, condition: Callable[[], object], what: str) -> None:
        """Wait for what shows elsewhere than on the page, such as a request that arrives."""
        limit = time.monotonic() + PATIENCE_MS / 1000
        while not condition():
            assert time.monotonic() < limit, f"waited in vain: {what}"
            self.page.wait_for_timeout(20)

    def settle(self) -> None:
        """Let timers and frames that are due go by; for what must not happen."""
        self.page.wait_for_timeout(200)
