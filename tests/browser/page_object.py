"""The page object of the editor: what a user at the keyboard can do and see."""

import time
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

TIMEOUT_MS = 30_000  # test machines may be busy
expect.set_options(timeout=TIMEOUT_MS)


class EditorPage:
    """The open page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.box = page.locator("#editor")
        self.options = page.locator(".tersely-list").get_by_role("option")
        self.undo_button = page.locator(".tersely-undo")
        self.notice = page.locator("#notice")

    def type(self, text: str, *, delay: float = 0) -> None:
        """Type text key by key into the focused element."""
        self.page.keyboard.type(text, delay=delay)

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def type_keywords(self, keywords: str, count: int = 3) -> list[str]:
        """Type keywords, wait for this number of suggestions, and return them."""
        self.type(keywords)
        expect(self.options).to_have_count(count)
        expect(self.options.first).to_contain_text(keywords.split()[-1])
        return self.suggestion_texts()

    def suggestion_texts(self) -> list[str]:
        """Return the suggestions in the list."""
        return self.page.locator(".tersely-sentence").all_text_contents()

    def expect_text(self, text: str) -> None:
        """Wait until the editor contains exactly this text."""
        expect(self.box).to_have_value(text)

    def expect_no_list(self) -> None:
        """Wait until no list of suggestions is visible."""
        expect(self.page.locator(".tersely-list")).to_be_hidden()

    def selected_option(self) -> Locator:
        """Return the option that a screen reader reads."""
        option_id = self.box.get_attribute("aria-activedescendant")
        assert option_id, "no suggestion is selected"
        return self.page.locator(f"[id='{option_id}']")

    def wait_until(self, condition: Callable[[], object], description: str) -> None:
        """Wait for a condition outside the page, such as a request that arrives."""
        deadline = time.monotonic() + TIMEOUT_MS / 1000
        while not condition():
            assert time.monotonic() < deadline, f"timed out: {description}"
            self.page.wait_for_timeout(20)

    def wait_for_timers(self) -> None:
        """Let pending timers and frames run, before asserting that nothing happened."""
        self.page.wait_for_timeout(200)
