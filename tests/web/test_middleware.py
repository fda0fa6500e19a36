import asyncio

import pytest
from starlette.types import Message, Receive, Scope, Send

from tersely.web.middleware import AccessPolicy, add_middleware
from tersely.web.origins import Site
from tersely.web.rate_limit import RateLimiter
from tersely.web.request_log import RequestRecord
from tersely.web.security_headers import SECURITY_HEADERS
from tests.web.asgi import EchoApp, request

TOKEN = "correct horse battery staple"


def policy(token: str | None = None) -> AccessPolicy:
    limiter = RateLimiter(per_second=1.0, burst=2, clock=lambda: 0.0)
    return AccessPolicy(site=Site(), limiter=limiter, token=token)


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (200, {"Content-Type": "application/json"}, b"{}"),
        (403, {"Content-Type": "application/json", "Host": "evil.example"}, b"{}"),
        (403, {"Content-Type": "application/json", "Origin": "https://evil.example"}, b"{}"),
        (413, {"Content-Type": "application/json"}, b"x" * 9000),
        (415, {"Content-Type": "text/plain"}, b"{}"),
    ],
)
def test_every_response_is_recorded_and_carries_the_security_headers(
    status: int, headers: dict[str, str], body: bytes
) -> None:
    records: list[RequestRecord] = []
    app = add_middleware(EchoApp(), policy(), on_finish=records.append)
    response = asyncio.run(request(app, "POST", "/v1/complete", content=body, headers=headers))
    assert response.status_code == status
    assert [record.status for record in records] == [status]
    assert set(map(str.lower, SECURITY_HEADERS)) <= set(response.headers)


@pytest.mark.parametrize("path", ["/v1/models", "/metrics", "/?token=guess"])
def test_tokens_cannot_be_guessed_faster_than_the_rate_limit(path: str) -> None:
    app = add_middleware(EchoApp(), policy(TOKEN), on_finish=lambda record: None)
    statuses = [asyncio.run(request(app, "GET", path)).status_code for _ in range(4)]
    assert statuses == [401, 401, 429, 429]


def test_without_a_token_none_is_required() -> None:
    app = add_middleware(EchoApp(), policy(), on_finish=lambda record: None)
    assert asyncio.run(request(app, "GET", "/v1/models")).status_code == 200


def test_scopes_other_than_http_reach_the_app() -> None:
    types: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        types.append(scope["type"])

    async def receive() -> Message:
        raise AssertionError("nothing to receive")

    async def send(message: Message) -> None:
        raise AssertionError("nothing to send")

    wrapped = add_middleware(app, policy(TOKEN), on_finish=lambda record: None)
    asyncio.run(wrapped({"type": "lifespan"}, receive, send))  # type: ignore[arg-type]
    assert types == ["lifespan"]
