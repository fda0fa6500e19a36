"""Stale answers never show: under a slow service, only what fits the text now is seen."""

from playwright.sync_api import Request, expect

from tests.browser.desk import Desk
from tests.browser.standin import StandIn, suggestion


def test_a_late_answer_to_older_keywords_never_shows(desk: Desk, standin: StandIn) -> None:
    standin.hold = lambda question: question["keywords"] == "late"
    standin.suggest = lambda question: [suggestion("", f"Answer to {question['keywords']}.")]
    desk.page.evaluate(
        """() => {
          window.seen = new Set();
          new MutationObserver(() => {
            for (const one of document.querySelectorAll(".tersely-sentence")) {
              window.seen.add(one.textContent);
            }
          }).observe(document.body, { childList: true, subtree: true });
        }"""
    )
    desk.type("late")
    desk.wait_until(lambda: standin.asked_about("late"), "the question that is held")
    with desk.page.expect_response("**/v1/complete"):
        desk.type(" bus")
    expect(desk.options.first).to_contain_text("Answer to late bus.")
    standin.release.set()
    desk.settle()
    assert "Answer to late." not in desk.page.evaluate("[...window.seen]")
    assert desk.sentences() == ["Answer to late bus."]


def gives_up_late(request: Request) -> bool:
    return bool((request.post_data_json or {}).get("keywords") == "late")


def test_a_new_key_aborts_the_request_before_it(desk: Desk, standin: StandIn) -> None:
    standin.hold = lambda question: question["keywords"] == "late"
    desk.type("late")
    desk.wait_until(lambda: standin.asked_about("late"), "the question that is held")
    with desk.page.expect_event("requestfailed", gives_up_late) as failed:
        desk.type("r")
    assert failed.value.failure == "net::ERR_ABORTED"
    assert failed.value.post_data_json["keywords"] == "late"


def test_a_slow_answer_does_not_open_a_list_that_was_left(desk: Desk, standin: StandIn) -> None:
    standin.hold = lambda question: True
    desk.type("late")
    desk.wait_until(lambda: standin.asked_about("late"), "the question that is held")
    desk.press("Control+a", "Delete")
    standin.release.set()
    desk.settle()
    desk.is_quiet()


def test_escape_while_waiting_cancels(desk: Desk, standin: StandIn) -> None:
    desk.ask("late")
    standin.hold = lambda question: True
    desk.type("r")
    desk.settle()
    desk.press("Backspace")  # answered before, so the list is open
    expect(desk.options).to_have_count(3)
    desk.type("rr")
    desk.press("Tab")
    standin.release.set()
    desk.settle()
    desk.is_quiet()


def test_what_stays_while_waiting_contains_what_is_typed(desk: Desk, standin: StandIn) -> None:
    standin.suggest = lambda question: [
        suggestion(question["keywords"], "Ten minutes late."),
        suggestion(question["keywords"], "Ten miles away."),
    ]
    desk.type("ten mi")
    expect(desk.options).to_have_count(2)
    standin.hold = lambda question: True
    desk.type("n")
    expect(desk.options).to_have_count(1)
    assert desk.sentences() == ["Ten minutes late."]
    assert desk.options.first.locator("mark").all_text_contents() == ["Ten", "min"]
    desk.type(" ")
    desk.is_quiet()


def test_text_is_never_held_up_by_a_slow_service(desk: Desk, standin: StandIn) -> None:
    standin.hold = lambda question: True
    desk.type("ten minutes late, as ever")
    desk.holds("ten minutes late, as ever")
