"""Promise 16: no text runs as a script, wherever it comes in; and nothing here could let it."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opener
from tests.browser.desk import Desk
from tests.browser.payloads import TAGS
from tests.browser.standin import POLICY, STATIC, StandIn, suggestion

SCRIPTS = sorted(STATIC.rglob("*.js"))
PAGES = sorted(STATIC.rglob("*.html"))


@pytest.fixture
def ran(page: Page) -> Iterator[list[str]]:
    """What ran; asserted to be nothing, with the elements of the page counted too."""
    ran: list[str] = []
    page.expose_function("ran", lambda: ran.append("ran"))
    page.on("dialog", lambda dialog: (ran.append(dialog.message), dialog.dismiss()))
    yield ran
    page.wait_for_timeout(200)
    assert ran == []
    foreign = (
        "iframe, object, embed, img, image, video, audio, marquee, style, base, math, x, [onerror]"
    )
    assert page.locator(foreign).count() == 0
    assert page.locator("script").count() == 2
    assert page.evaluate("location.pathname") == "/"


def test_there_are_fifty_payloads() -> None:
    assert len(set(TAGS)) >= 50


def test_the_payloads_would_run_where_markup_is_parsed(page: Page, standin: StandIn) -> None:
    """Proof that the trap springs: the same texts on a page that does it wrong."""
    caught: list[str] = []
    page.expose_function("ran", lambda: caught.append("ran"))
    standin.pages["/wrong"] = "".join(TAGS[9:12] + TAGS[17:20] + TAGS[33:35]).encode()
    page.goto(standin.url + "wrong")
    Desk(page).wait_until(lambda: len(caught) >= 5, "payloads that run")


@pytest.mark.promise(16)
@pytest.mark.usefixtures("ran")
def test_no_payload_runs_in_what_is_written_and_suggested(desk: Desk, standin: StandIn) -> None:
    standin.suggest = lambda question: [
        suggestion(
            question["keywords"],
            f"It is {question['keywords']}",
            corrected=[{"typed": question["keywords"], "read": question["keywords"]}],
        )
    ]
    for payload in TAGS:
        desk.box.fill(f"a {payload}")
        expect(desk.page.locator(".tersely-sentence")).to_have_text([f"It is a {payload}"])
        desk.press("Alt+1")
        desk.holds(f"It is a {payload}")
        desk.press("Escape")
        desk.holds(f"a {payload} ")


@pytest.mark.promise(16)
@pytest.mark.usefixtures("ran")
def test_no_payload_runs_in_the_panels(desk: Desk, standin: StandIn) -> None:
    desk.page.get_by_role("switch").click()
    for payload in TAGS:
        desk.page.locator("#enough-sentence").fill(payload)
        desk.page.locator("#memory-search").fill(payload)
        expect(desk.page.locator("#enough-shaded")).to_have_text(payload)
    assert {one["sentence"] for one in standin.asked("/v1/keywords")} >= set(TAGS)


@pytest.mark.promise(16)
@pytest.mark.usefixtures("ran")
def test_no_payload_runs_in_what_the_service_tells(standin: StandIn, open_desk: Opener) -> None:
    standin.memory_on = True
    standin.remembered = dict.fromkeys(TAGS, 2)
    standin.models = tuple(TAGS)
    desk = open_desk()
    expect(desk.page.locator("#memory-list li")).to_have_count(len(TAGS))
    expect(desk.page.locator("#model-choice option")).to_have_count(len(TAGS))
    shown = desk.page.locator("#memory-list li > span").all_text_contents()
    assert shown == [f"{payload} ×2" for payload in TAGS]
    for number, payload in enumerate(TAGS):
        standin.failures.append((422, {"error": {"code": "x", "message": payload}}, 0))
        desk.box.fill(f"word {number}")
        expect(desk.notice).to_contain_text(payload)


@pytest.mark.promise(16)
def test_the_policy_allows_nothing_unsafe(page: Page, standin: StandIn) -> None:
    answer = page.goto(standin.url)
    assert answer is not None
    policy = answer.header_value("content-security-policy")
    assert policy == POLICY
    assert "unsafe" not in policy
    assert "*" not in policy


@pytest.mark.promise(16)
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_never_parse_markup_or_code(path) -> None:  # type: ignore[no-untyped-def]
    source = path.read_text(encoding="utf-8")
    for forbidden in [
        r"\b(inner|outer)HTML\b",
        r"insertAdjacentHTML|createContextualFragment|setHTML|DOMParser|srcdoc",
        r"document\s*\.\s*write",
        r"\beval\s*\(|new\s+Function\b",
        r"set(Timeout|Interval)\(\s*[\"'`]",
        r"setAttribute\(\s*[\"'](style|on\w+)[\"']",
        r"cssText",
    ]:
        assert not re.search(forbidden, source), f"{path.name}: {forbidden}"


@pytest.mark.promise(16)
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_hold_no_inline_script_or_style(path) -> None:  # type: ignore[no-untyped-def]
    source = path.read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)", source)
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", source)
