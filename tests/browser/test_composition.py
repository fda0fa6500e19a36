"""Input methods: text that is still being composed is left alone."""

from playwright.sync_api import CDPSession, Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.fake_service import FakeService, suggestion
from tests.browser.page_object import EditorPage


def compose(session: CDPSession, text: str) -> None:
    caret = {"selectionStart": len(text), "selectionEnd": len(text)}
    session.send("Input.imeSetComposition", {"text": text, **caret})


def test_no_request_is_sent_during_a_composition(editor: EditorPage, service: FakeService) -> None:
    session = editor.page.context.new_cdp_session(editor.page)
    service.suggest = lambda request: [suggestion("", "你好吗？")]
    compose(session, "ni hao")
    editor.wait_for_timers()
    assert service.request_bodies() == []
    editor.expect_no_list()
    session.send("Input.insertText", {"text": "你好"})
    expect(editor.options).to_have_count(1)
    assert service.requests_for("你好")


def test_keys_of_the_input_method_are_not_handled(editor: EditorPage) -> None:
    editor.type_keywords("late")
    is_handled = editor.box.evaluate(
        """box => ["ArrowDown", "Enter", "Escape", "ArrowRight"].map((key) => {
          const event = new KeyboardEvent("keydown",
            { key, isComposing: true, cancelable: true, bubbles: true });
          box.dispatchEvent(event);
          return event.defaultPrevented;
        })"""
    )
    assert is_handled == [False] * 4
    expect(editor.options).to_have_count(3)


def test_a_phone_that_composes_each_word_gets_suggestions(
    phone: Page, open_page: OpenPage, service: FakeService
) -> None:
    editor = open_page(phone)
    session = phone.context.new_cdp_session(phone)
    compose(session, "late")
    expect(editor.options).to_have_count(3)
    editor.options.first.tap()
    editor.expect_text("I would like late.")
