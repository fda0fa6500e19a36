"""Trouble: a calm line, another try, and the text is never lost."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.desk import Desk
from tests.browser.standin import StandIn


@pytest.mark.parametrize(("status", "message"), [(429, "Too fast."), (503, "Busy.")])
def test_a_busy_service_is_asked_again_after_the_time_it_says(
    desk: Desk, standin: StandIn, status: int, message: str
) -> None:
    standin.failures = [(status, {"error": {"code": "busy", "message": message}}, 3)]
    desk.page.keyboard.insert_text("late")
    expect(desk.notice).to_have_text(f"{message} Trying again in 3 s. Your text is safe.")
    expect(desk.options).to_have_count(3)
    expect(desk.notice).to_be_empty()
    desk.holds("late")


def test_a_refusal_that_will_not_pass_is_not_repeated(desk: Desk, standin: StandIn) -> None:
    standin.failures = [(422, {"error": {"code": "too_long", "message": "Too long."}}, 0)]
    desk.page.keyboard.insert_text("late")
    expect(desk.notice).to_have_text("Too long. Your text is safe.")
    desk.page.wait_for_timeout(1200)
    assert len(standin.asked()) == 1


def test_a_service_out_of_reach_is_found_again(desk: Desk) -> None:
    desk.page.context.set_offline(True)
    try:
        desk.page.keyboard.insert_text("late")
        expect(desk.notice).to_contain_text("The service cannot be reached. Trying again in 2 s.")
        desk.type(" bus")
        desk.holds("late bus")
    finally:
        desk.page.context.set_offline(False)
    expect(desk.options).to_have_count(3)
    expect(desk.notice).to_be_empty()


def test_an_answer_that_is_no_json_breaks_nothing(desk: Desk) -> None:
    desk.page.route("**/v1/complete", lambda route: route.fulfill(body="<html>proxy</html>"))
    desk.page.keyboard.insert_text("late")
    expect(desk.notice).to_contain_text("Your text is safe.")
    desk.type("r")
    desk.holds("later")


def test_the_text_outlives_a_reload(desk: Desk, open_desk: Opener) -> None:
    desk.type("We met at noon. ")
    again = open_desk()
    again.holds("We met at noon. ")


def test_a_service_with_a_token_asks_for_it(
    desk: Desk, standin: StandIn, open_desk: Opener
) -> None:
    standin.token = "open sesame"
    desk.page.goto(standin.url)
    expect(desk.page.get_by_role("dialog", name="Access token")).to_be_visible()
    desk.page.get_by_label("This service asks").fill("wrong")
    desk.press("Enter")
    expect(desk.page.get_by_role("dialog", name="Access token")).to_be_visible()
    desk.page.get_by_label("This service asks").fill("open sesame")
    desk.press("Enter")
    expect(desk.page.get_by_role("dialog")).to_be_hidden()
    expect(desk.page.get_by_role("switch")).to_be_enabled()
    desk.box.focus()
    desk.ask("late")
    again = open_desk()
    again.ask("late")
