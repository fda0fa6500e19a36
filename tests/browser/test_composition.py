"""Input methods: nothing happens to what is still being composed."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, CDPSession, Page, expect

from tests.browser.conftest import Opener
from tests.browser.desk import Desk
from tests.browser.standin import StandIn, suggestion


def compose(session: CDPSession, text: str) -> None:
    caret = {"selectionStart": len(text), "selectionEnd": len(text)}
    session.send("Input.imeSetComposition", {"text": text, **caret})


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True
    )
    yield context.new_page()
    context.close()


def test_nothing_is_asked_or_taken_while_composing(desk: Desk, standin: StandIn) -> None:
    session = desk.page.context.new_cdp_session(desk.page)
    standin.suggest = lambda question: [suggestion("", "你好吗？")]
    compose(session, "ni hao")
    desk.settle()
    assert standin.asked() == []
    desk.is_quiet()
    session.send("Input.insertText", {"text": "你好"})
    expect(desk.options).to_have_count(1)
    assert standin.asked_about("你好")


def test_the_input_methods_own_keys_are_left_to_it(desk: Desk) -> None:
    desk.ask("late")
    taken = desk.box.evaluate(
        """box => ["ArrowDown", "Enter", "Escape", "ArrowRight"].map((key) => {
          const event = new KeyboardEvent("keydown",
            { key, isComposing: true, cancelable: true, bubbles: true });
          box.dispatchEvent(event);
          return event.defaultPrevented;
        })"""
    )
    assert taken == [False] * 4
    expect(desk.options).to_have_count(3)


def test_a_phone_that_composes_every_word_gets_suggestions_for_it(
    phone: Page, open_desk: Opener, standin: StandIn
) -> None:
    desk = open_desk(phone)
    session = phone.context.new_cdp_session(phone)
    compose(session, "late")
    expect(desk.options).to_have_count(3)
    desk.options.first.tap()
    desk.holds("I would like late.")
