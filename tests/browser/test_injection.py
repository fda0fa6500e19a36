"""Promise 16: no text from the user or the service runs as a script."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.fake_service import POLICY, STATIC, FakeService, suggestion
from tests.browser.page_object import EditorPage
from tests.browser.payloads import PAYLOADS

SCRIPTS = sorted(STATIC.rglob("*.js"))
PAGES = sorted(STATIC.rglob("*.html"))


@pytest.fixture
def ran(page: Page) -> Iterator[list[str]]:
    """Fail if a script ran or a payload added elements to the page."""
    ran: list[str] = []
    page.expose_function("ran", lambda: ran.append("ran"))

    def on_dialog(dialog: Dialog) -> None:
        ran.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", on_dialog)
    yield ran
    page.wait_for_timeout(200)
    assert ran == []
    injected = (
        "iframe, object, embed, img, image, video, audio, marquee, style, base, math, x, [onerror]"
    )
    assert page.locator(injected).count() == 0
    assert page.locator("script").count() == 2
    assert page.evaluate("location.pathname") == "/"


def test_there_are_fifty_payloads() -> None:
    assert len(set(PAYLOADS)) >= 50


def test_the_payloads_run_where_markup_is_parsed(page: Page, service: FakeService) -> None:
    """The payloads work: on a page that parses them they run."""
    calls: list[str] = []
    page.expose_function("ran", lambda: calls.append("ran"))
    service.pages["/wrong"] = "".join(PAYLOADS[9:12] + PAYLOADS[17:20] + PAYLOADS[33:35]).encode()
    page.goto(service.url + "wrong")
    EditorPage(page).wait_until(lambda: len(calls) >= 5, "payloads that run")


@pytest.mark.promise(16)
@pytest.mark.usefixtures("ran")
def test_no_payload_runs_in_the_editor_and_the_suggestions(
    editor: EditorPage, service: FakeService
) -> None:
    service.suggest = lambda request: [
        suggestion(
            request["keywords"],
            f"It is {request['keywords']}",
            corrected=[{"typed": request["keywords"], "read": request["keywords"]}],
        )
    ]
    for payload in PAYLOADS:
        editor.box.fill(f"a {payload}")
        expect(editor.page.locator(".tersely-sentence")).to_have_text([f"It is a {payload}"])
        editor.press("Alt+1")
        editor.expect_text(f"It is a {payload}")
        editor.press("Escape")
        editor.expect_text(f"a {payload} ")


@pytest.mark.promise(16)
@pytest.mark.usefixtures("ran")
def test_no_payload_runs_in_the_panels(editor: EditorPage, service: FakeService) -> None:
    editor.page.get_by_role("switch").click()
    for payload in PAYLOADS:
        editor.page.locator("#keywords-sentence").fill(payload)
        editor.page.locator("#memory-search").fill(payload)
        expect(editor.page.locator("#keywords-shaded")).to_have_text(payload)
    assert {body["sentence"] for body in service.request_bodies("/v1/keywords")} >= set(PAYLOADS)


@pytest.mark.promise(16)
@pytest.mark.usefixtures("ran")
def test_no_payload_runs_in_data_of_the_service(service: FakeService, open_page: OpenPage) -> None:
    service.memory_on = True
    service.remembered = dict.fromkeys(PAYLOADS, 2)
    service.models = tuple(PAYLOADS)
    editor = open_page()
    expect(editor.page.locator("#memory-list li")).to_have_count(len(PAYLOADS))
    expect(editor.page.locator("#model-select option")).to_have_count(len(PAYLOADS))
    shown = editor.page.locator("#memory-list li > span").all_text_contents()
    assert shown == [f"{payload} ×2" for payload in PAYLOADS]
    for number, payload in enumerate(PAYLOADS):
        service.failures.append((422, {"error": {"code": "x", "message": payload}}, 0))
        editor.box.fill(f"word {number}")
        expect(editor.notice).to_contain_text(payload)


@pytest.mark.promise(16)
def test_the_policy_allows_nothing_unsafe(page: Page, service: FakeService) -> None:
    response = page.goto(service.url)
    assert response is not None
    policy = response.header_value("content-security-policy")
    assert policy == POLICY
    assert "unsafe" not in policy
    assert "*" not in policy


@pytest.mark.promise(16)
def test_scripts_never_parse_markup_or_code() -> None:
    forbidden_patterns = [
        r"\b(inner|outer)HTML\b",
        r"insertAdjacentHTML|createContextualFragment|setHTML|DOMParser|srcdoc",
        r"document\s*\.\s*write",
        r"\beval\s*\(|new\s+Function\b",
        r"set(Timeout|Interval)\(\s*[\"'`]",
        r"setAttribute\(\s*[\"'](style|on\w+)[\"']",
        r"cssText",
    ]
    assert len(SCRIPTS) > 20
    for path in SCRIPTS:
        source = path.read_text(encoding="utf-8")
        for pattern in forbidden_patterns:
            assert not re.search(pattern, source), f"{path.name}: {pattern}"


@pytest.mark.promise(16)
def test_pages_contain_no_inline_script_or_style() -> None:
    assert PAGES
    for path in PAGES:
        source = path.read_text(encoding="utf-8")
        assert not re.search(r"<script(?![^>]*\bsrc=)", source), path.name
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", source), path.name
