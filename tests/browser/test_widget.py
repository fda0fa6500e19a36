"""The widget: two lines of markup give another site the same, across origins."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.desk import Desk
from tests.browser.standin import Server, StandIn

SITE = """<!doctype html><html lang="en"><title>Another site</title>
<style>* {{ font-family: monospace }} li {{ list-style: square; padding: 40px }}</style>
<div style="transform: scale(1); overflow: hidden; height: 90px">
<label>Message <textarea id="writing" data-tersely {attributes}></textarea></label></div>
<label>Plain <textarea id="plain"></textarea></label>
<script src="{service}tersely.js"{how}></script></html>"""


@pytest.fixture
def site() -> Iterator[StandIn]:
    """Another origin, with pages of its own."""
    with Server() as server:
        server.standin = StandIn(url=server.url)
        yield server.standin


def publish(site: StandIn, standin: StandIn, attributes: str = "", how: str = "") -> None:
    page = SITE.format(service=standin.url, attributes=attributes, how=how)
    site.pages["/"] = page.encode()
    standin.allowed_origins = (site.url.rstrip("/"),)


def visit(page: Page, site: StandIn) -> Desk:
    page.goto(site.url)
    expect(page.locator("#writing")).to_have_attribute("aria-autocomplete", "list")
    page.locator("#writing").focus()
    return Desk(page)


@pytest.mark.parametrize("how", ["", " defer", " async"])
def test_another_site_gets_the_same_with_two_lines(
    page: Page, site: StandIn, standin: StandIn, how: str
) -> None:
    publish(site, standin, how=how)
    desk = visit(page, site)
    assert desk.ask("late bus")[0] == "I would like late bus."
    desk.press("ArrowDown", "Enter")
    desk.holds("I would like late bus.")
    desk.press("Escape")
    desk.holds("late bus ")
    assert site.asked() == [], "the service is where the script came from"


def test_the_list_looks_the_same_whatever_the_sites_styles(
    page: Page, site: StandIn, standin: StandIn
) -> None:
    publish(site, standin)
    desk = visit(page, site)
    desk.ask("late bus")
    expect(desk.options.first).to_have_css("list-style-type", "none")
    expect(desk.options.first).to_have_css("padding-top", "8px")
    place = desk.page.locator(".tersely-list").bounding_box()
    assert place is not None
    assert place["height"] > 90, "not cut off by the box it stands in"


def test_a_service_elsewhere_and_its_token_can_be_named(
    page: Page, site: StandIn, standin: StandIn
) -> None:
    with StandIn(token="open sesame").serving() as other:
        other.allowed_origins = (site.url.rstrip("/"),)
        attributes = f'data-tersely-url="{other.url}" data-tersely-token="open sesame"'
        publish(site, standin, attributes)
        visit(page, site).ask("late bus")
        assert other.asked_about("late bus")
        assert standin.asked() == []


def test_an_origin_that_is_not_allowed_gets_nothing(
    page: Page, site: StandIn, standin: StandIn
) -> None:
    publish(site, standin)
    desk = visit(page, site)
    standin.allowed_origins = ()
    desk.type("late")
    desk.settle()
    desk.is_quiet()
    desk.holds("late")


def test_boxes_that_come_later_are_found_and_others_left_alone(
    page: Page, site: StandIn, standin: StandIn
) -> None:
    publish(site, standin)
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


def test_a_site_hears_what_is_accepted_and_can_detach(
    page: Page, site: StandIn, standin: StandIn
) -> None:
    publish(site, standin)
    desk = visit(page, site)
    page.evaluate(
        """() => {
          window.heard = [];
          const hear = ({ type, detail }) => window.heard.push([type, detail]);
          document.addEventListener("tersely:accept", hear);
          document.addEventListener("input", hear);
        }"""
    )
    desk.ask("late")
    desk.press("Alt+1")
    heard = page.evaluate("window.heard")
    assert ["input", 0] in heard
    expected = {"keywords": "late", "text": "I would like late.", "whole": True}
    assert heard[-1] == ["tersely:accept", expected]
    page.evaluate("async () => (await tersely.attach(document.getElementById('writing'))).detach()")
    assert page.locator(".tersely-list").count() == 0
    assert desk.box.get_attribute("aria-autocomplete") is None
