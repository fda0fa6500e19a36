import asyncio

import pytest

from tersely.web.security_headers import SECURITY_HEADERS, SecurityHeadersMiddleware
from tests.web.asgi import EchoApp, request


def test_every_response_carries_the_headers() -> None:
    response = asyncio.run(request(SecurityHeadersMiddleware(EchoApp()), "GET", "/"))
    for name, value in SECURITY_HEADERS.items():
        assert response.headers[name] == value


def test_a_header_that_a_route_has_set_is_kept() -> None:
    app = SecurityHeadersMiddleware(EchoApp({"cache-control": "no-cache"}))
    response = asyncio.run(request(app, "GET", "/"))
    assert response.headers.get_list("cache-control") == ["no-cache"]


@pytest.mark.promise(16)
def test_the_policy_allows_nothing_unsafe_and_no_other_site() -> None:
    policy = dict(
        directive.split(" ", 1)
        for directive in SECURITY_HEADERS["Content-Security-Policy"].split("; ")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    allowed = {source for sources in policy.values() for source in sources.split()}
    assert allowed <= {"'self'", "'none'", "data:"}
    assert [name for name, sources in policy.items() if "data:" in sources] == ["img-src"]
