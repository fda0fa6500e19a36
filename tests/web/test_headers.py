import asyncio

import pytest

from tersely.web.headers import HEADERS, SecurityHeaders
from tests.web.asking import Echo, ask


def test_every_answer_carries_the_headers() -> None:
    answer = asyncio.run(ask(SecurityHeaders(Echo()), "GET", "/"))
    for name, value in HEADERS.items():
        assert answer.headers[name] == value


def test_what_a_route_says_itself_stays() -> None:
    app = SecurityHeaders(Echo({"cache-control": "no-cache"}))
    answer = asyncio.run(ask(app, "GET", "/"))
    assert answer.headers.get_list("cache-control") == ["no-cache"]


@pytest.mark.promise(16)
def test_the_policy_allows_nothing_unsafe_and_no_other_site() -> None:
    policy = dict(
        part.split(" ", 1) for part in HEADERS["Content-Security-Policy"].split("; ") if part
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    allowed = {source for sources in policy.values() for source in sources.split()}
    assert allowed <= {"'self'", "'none'", "data:"}
    assert [name for name, sources in policy.items() if "data:" in sources] == ["img-src"]
