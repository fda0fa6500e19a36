"""The widget on another site: two lines of markup, across origins."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.fake_service import FakeServer, FakeService
from tests.browser.page_object import EditorPage

SITE = """<!doctype html><html lang="en"><title>Another site</title>
<style>* {{ font-family: monospace }} li {{ list-style: square; padding: 40px }}</style>
<div style="transform: scale(1); overflow: hidden; height: 90px">
<label>Message <textarea id="editor" data-tersely {attributes}></textarea></label></div>
<label>Plain <textarea id="plain"></textarea></label>
<script src="{service}tersely.js"{loading}></script></html>"""


@pytest.fixture
def site() -> Iterator[FakeService]:
    """A site of another origin."""
    with FakeServer() as server:
        server.service = FakeService(url=server.url)
        yield server.service


def publish(
    site: FakeService, service: FakeService, attributes: str = "", loading: str = ""
) -> None:
    page = SITE.format(service=service.url, attributes=attributes, loading=loading)
    site.pages["/"] = page.encode()
    service.allowed_origins = (site.url.rstrip("/"),)


def visit(page: Page, site: FakeService) -> EditorPage:
    page.goto(site.url)
    expect(page.locator("#editor")).to_have_attribute("aria-autocomplete", "list")
    page.locator("#editor").focus()
    return EditorPage(page)


@pytest.mark.parametrize("loading", ["", " defer", " async"])
def test_two_lines_of_markup_add_the_widget_to_a_site(
    page: Page, site: FakeService, service: FakeService, loading: str
) -> None:
    publish(site, service, loading=loading)
    editor = visit(page, site)
    assert editor.type_keywords("late bus")[0] == "I would like late bus."
    editor.press("ArrowDown", "Enter")
    editor.expect_text("I would like late bus.")
    editor.press("Escape")
    editor.expect_text("late bus ")
    assert site.request_bodies() == [], "the default service is the origin of the script"


def test_the_styles_of_a_site_do_not_change_the_list(
    page: Page, site: FakeService, service: FakeService
) -> None:
    publish(site, service)
    editor = visit(page, site)
    editor.type_keywords("late bus")
    expect(editor.options.first).to_have_css("list-style-type", "none")
    expect(editor.options.first).to_have_css("padding-top", "8px")
    place = editor.page.locator(".tersely-list").bounding_box()
    assert place is not None
    assert place["height"] > 90, "not clipped by the parent of the box"


def test_a_site_can_set_the_service_and_its_token(
    page: Page, site: FakeService, service: FakeService
) -> None:
    with FakeService(token="open sesame").serving() as other:
        other.allowed_origins = (site.url.rstrip("/"),)
        attributes = f'data-tersely-url="{other.url}" data-tersely-token="open sesame"'
        publish(site, service, attributes)
        visit(page, site).type_keywords("late bus")
        assert other.requests_for("late bus")
        assert service.request_bodies() == []


def test_an_origin_that_is_not_allowed_gets_no_suggestions(
    page: Page, site: FakeService, service: FakeService
) -> None:
    publish(site, service)
    editor = visit(page, site)
    service.allowed_origins = ()
    editor.type("late")
    editor.wait_for_timers()
    editor.expect_no_list()
    editor.expect_text("late")


def test_boxes_added_later_are_found_and_other_boxes_ignored(
    page: Page, site: FakeService, service: FakeService
) -> None:
    publish(site, service)
    visit(page, site)
    page.evaluate(
        """() => {
          const box = document.createElement("input");
          box.dataset.tersely = "";
          box.id = "later";
          document.body.append(box);
        }"""
    )
    later = page.locator("#later")
    expect(later).to_have_attribute("aria-autocomplete", "list")
    later.press_sequentially("late bus")
    expect(page.locator(".tersely-list").get_by_role("option")).to_have_count(3)
    page.keyboard.press("Alt+2")
    expect(later).to_have_value("Can we talk about late bus?")
    plain = page.locator("#plain")
    plain.press_sequentially("late bus")
    page.wait_for_timeout(300)
    assert plain.get_attribute("aria-autocomplete") is None
    expect(page.locator(".tersely-list:visible")).to_have_count(0)


def test_a_site_receives_events_and_can_detach(
    page: Page, site: FakeService, service: FakeService
) -> None:
    publish(site, service)
    editor = visit(page, site)
    page.evaluate(
        """() => {
          window.received = [];
          const record = ({ type, detail }) => window.received.push([type, detail]);
          document.addEventListener("tersely:accept", record);
          document.addEventListener("input", record);
        }"""
    )
    editor.type_keywords("late")
    editor.press("Alt+1")
    events = page.evaluate("window.received")
    assert ["input", 0] in events
    expected = {"keywords": "late", "text": "I would like late.", "whole": True}
    assert events[-1] == ["tersely:accept", expected]
    page.evaluate("async () => (await tersely.attach(document.getElementById('editor'))).detach()")
    assert page.locator(".tersely-list").count() == 0
    assert editor.box.get_attribute("aria-autocomplete") is None
