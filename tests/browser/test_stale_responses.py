"""A slow service: only suggestions that match the current text are shown."""

from playwright.sync_api import Request, expect

from tests.browser.fake_service import FakeService, suggestion
from tests.browser.page_object import EditorPage


def test_a_late_response_to_older_keywords_is_never_shown(
    editor: EditorPage, service: FakeService
) -> None:
    service.hold = lambda request: request["keywords"] == "late"
    service.suggest = lambda request: [suggestion("", f"Answer to {request['keywords']}.")]
    editor.page.evaluate(
        """() => {
          window.seen = new Set();
          new MutationObserver(() => {
            for (const sentence of document.querySelectorAll(".tersely-sentence")) {
              window.seen.add(sentence.textContent);
            }
          }).observe(document.body, { childList: true, subtree: true });
        }"""
    )
    editor.type("late")
    editor.wait_until(lambda: service.requests_for("late"), "the held request")
    with editor.page.expect_response("**/v1/complete"):
        editor.type(" bus")
    expect(editor.options.first).to_contain_text("Answer to late bus.")
    service.release.set()
    editor.wait_for_timers()
    assert "Answer to late." not in editor.page.evaluate("[...window.seen]")
    assert editor.suggestion_texts() == ["Answer to late bus."]


def is_request_for_late(request: Request) -> bool:
    return bool((request.post_data_json or {}).get("keywords") == "late")


def test_a_new_key_aborts_the_previous_request(editor: EditorPage, service: FakeService) -> None:
    service.hold = lambda request: request["keywords"] == "late"
    editor.type("late")
    editor.wait_until(lambda: service.requests_for("late"), "the held request")
    with editor.page.expect_event("requestfailed", is_request_for_late) as failed:
        editor.type("r")
    assert failed.value.failure == "net::ERR_ABORTED"
    body = failed.value.post_data_json
    assert body is not None
    assert body["keywords"] == "late"


def test_a_late_response_does_not_open_a_list_after_blur(
    editor: EditorPage, service: FakeService
) -> None:
    service.hold = lambda request: True
    editor.type("late")
    editor.wait_until(lambda: service.requests_for("late"), "the held request")
    editor.press("Control+a", "Delete")
    service.release.set()
    editor.wait_for_timers()
    editor.expect_no_list()


def test_escape_cancels_the_pending_request(editor: EditorPage, service: FakeService) -> None:
    editor.type_keywords("late")
    service.hold = lambda request: True
    editor.type("r")
    editor.wait_for_timers()
    editor.press("Backspace")  # answered before, so the list is open
    expect(editor.options).to_have_count(3)
    editor.type("rr")
    editor.press("Tab")
    service.release.set()
    editor.wait_for_timers()
    editor.expect_no_list()


def test_suggestions_that_still_match_stay_while_loading(
    editor: EditorPage, service: FakeService
) -> None:
    service.suggest = lambda request: [
        suggestion(request["keywords"], "Ten minutes late."),
        suggestion(request["keywords"], "Ten miles away."),
    ]
    editor.type("ten mi")
    expect(editor.options).to_have_count(2)
    service.hold = lambda request: True
    editor.type("n")
    expect(editor.options).to_have_count(1)
    assert editor.suggestion_texts() == ["Ten minutes late."]
    assert editor.options.first.locator("mark").all_text_contents() == ["Ten", "min"]
    editor.type(" ")
    editor.expect_no_list()


def test_a_slow_service_never_delays_typing(editor: EditorPage, service: FakeService) -> None:
    service.hold = lambda request: True
    editor.type("ten minutes late, as ever")
    editor.expect_text("ten minutes late, as ever")
