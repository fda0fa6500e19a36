"""Errors: a notice, a retry, and no loss of text."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.fake_service import FakeService
from tests.browser.page_object import EditorPage


@pytest.mark.parametrize(("status", "message"), [(429, "Too fast."), (503, "Busy.")])
def test_a_busy_service_is_retried_after_the_time_it_sets(
    editor: EditorPage, service: FakeService, status: int, message: str
) -> None:
    service.failures = [(status, {"error": {"code": "busy", "message": message}}, 3)]
    editor.page.keyboard.insert_text("late")
    expect(editor.notice).to_have_text(f"{message} Trying again in 3 s. Your text is safe.")
    expect(editor.options).to_have_count(3)
    expect(editor.notice).to_be_empty()
    editor.expect_text("late")


def test_a_permanent_error_is_not_retried(editor: EditorPage, service: FakeService) -> None:
    service.failures = [(422, {"error": {"code": "too_long", "message": "Too long."}}, 0)]
    editor.page.keyboard.insert_text("late")
    expect(editor.notice).to_have_text("Too long. Your text is safe.")
    editor.page.wait_for_timeout(1200)
    assert len(service.request_bodies()) == 1


def test_an_unreachable_service_is_retried(editor: EditorPage) -> None:
    editor.page.context.set_offline(True)
    try:
        editor.page.keyboard.insert_text("late")
        expect(editor.notice).to_contain_text("The service cannot be reached. Trying again in 2 s.")
        editor.type(" bus")
        editor.expect_text("late bus")
    finally:
        editor.page.context.set_offline(False)
    expect(editor.options).to_have_count(3)
    expect(editor.notice).to_be_empty()


def test_a_response_that_is_not_json_shows_an_error(editor: EditorPage) -> None:
    editor.page.route("**/v1/complete", lambda route: route.fulfill(body="<html>proxy</html>"))
    editor.page.keyboard.insert_text("late")
    expect(editor.notice).to_contain_text("Your text is safe.")
    editor.type("r")
    editor.expect_text("later")


def test_the_text_survives_a_reload(editor: EditorPage, open_page: OpenPage) -> None:
    editor.type("We met at noon. ")
    reloaded = open_page()
    reloaded.expect_text("We met at noon. ")


def test_a_dialog_asks_for_the_access_token(
    editor: EditorPage, service: FakeService, open_page: OpenPage
) -> None:
    service.token = "open sesame"
    editor.page.goto(service.url)
    expect(editor.page.get_by_role("dialog", name="Access token")).to_be_visible()
    editor.page.get_by_label("This service requires").fill("wrong")
    editor.press("Enter")
    expect(editor.page.get_by_role("dialog", name="Access token")).to_be_visible()
    editor.page.get_by_label("This service requires").fill("open sesame")
    editor.press("Enter")
    expect(editor.page.get_by_role("dialog")).to_be_hidden()
    expect(editor.page.get_by_role("switch")).to_be_enabled()
    editor.box.focus()
    editor.type_keywords("late")
    reloaded = open_page()
    reloaded.type_keywords("late")
