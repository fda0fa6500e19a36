import asyncio

import pytest

from tersely.web.guards import Guards, guarded
from tersely.web.headers import HEADERS
from tersely.web.observing import Exchange
from tersely.web.origins import Site
from tersely.web.rate import RateLimiter
from tests.web.asking import Echo, ask

TOKEN = "correct horse battery staple"


def guards(**given: object) -> Guards:
    limiter = RateLimiter(per_second=1.0, burst=2, clock=lambda: 0.0)
    return Guards(**{"site": Site(), "limiter": limiter, **given})


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
def test_every_answer_is_observed_and_carries_the_headers(
    status: int, headers: dict[str, str], body: bytes
) -> None:
    seen: list[Exchange] = []
    app = guarded(Echo(), guards(), tell=seen.append)
    answer = asyncio.run(ask(app, "POST", "/v1/complete", content=body, headers=headers))
    assert answer.status_code == status
    assert [exchange.status for exchange in seen] == [status]
    assert set(map(str.lower, HEADERS)) <= set(answer.headers)


@pytest.mark.parametrize("path", ["/v1/models", "/metrics", "/?token=guess"])
def test_tokens_cannot_be_guessed_faster_than_the_rate(path: str) -> None:
    app = guarded(Echo(), guards(token=TOKEN), tell=lambda exchange: None)
    answers = [asyncio.run(ask(app, "GET", path)).status_code for _ in range(4)]
    assert answers == [401, 401, 429, 429]


def test_without_a_token_none_is_asked_for() -> None:
    app = guarded(Echo(), guards(), tell=lambda exchange: None)
    assert asyncio.run(ask(app, "GET", "/v1/models")).status_code == 200


def test_what_is_not_http_passes_through() -> None:
    seen = []

    async def app(scope, receive, send) -> None:
        seen.append(scope["type"])

    asyncio.run(guarded(app, guards(token=TOKEN), tell=print)({"type": "lifespan"}, None, None))
    assert seen == ["lifespan"]
