import asyncio
from typing import Any

import pytest

from tersely.web import rate_limit
from tersely.web.errors import ApiError
from tersely.web.rate_limit import RateLimiter, RateLimitMiddleware, client_address
from tests.web.asgi import EchoApp, error_code, request

PROXY = "10.0.0.1"


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def limiter(clock: Clock | None = None, **arguments: Any) -> RateLimiter:
    defaults = {"per_second": 2.0, "burst": 3, "clock": clock or Clock()}
    return RateLimiter(**{**defaults, **arguments})


def limited(rate_limiter: RateLimiter) -> RateLimitMiddleware:
    return RateLimitMiddleware(EchoApp(), rate_limiter, prefixes=["/v1/"])


def statuses(
    app: RateLimitMiddleware, count: int, path: str = "/v1/complete", **arguments: Any
) -> list[int]:
    return [asyncio.run(request(app, "GET", path, **arguments)).status_code for _ in range(count)]


def scope(peer: str, *forwarded: str) -> dict[str, Any]:
    headers = [(b"x-forwarded-for", addresses.encode()) for addresses in forwarded]
    return {"type": "http", "client": (peer, 1234), "headers": headers}


@pytest.mark.promise(12)
def test_a_client_beyond_the_rate_must_wait() -> None:
    clock = Clock()
    app = limited(limiter(clock))
    assert statuses(app, 5) == [200, 200, 200, 429, 429]
    response = asyncio.run(request(app, "GET", "/v1/complete"))
    assert error_code(response) == "too_many_requests"
    assert response.headers["retry-after"] == "1"
    clock.now += 1.0
    assert statuses(app, 3) == [200, 200, 429]


@pytest.mark.promise(12)
def test_a_forged_header_does_not_make_a_new_client() -> None:
    app = limited(limiter())
    responses = [
        statuses(app, 1, headers={"X-Forwarded-For": f"198.51.100.{number}"})[0]
        for number in range(6)
    ]
    assert responses == [200, 200, 200, 429, 429, 429]


def test_clients_behind_a_trusted_proxy_are_limited_separately() -> None:
    app = limited(limiter(trusted_proxies=["127.0.0.1"]))
    for number in range(6):
        headers = {"X-Forwarded-For": f"198.51.100.{number}"}
        assert statuses(app, 4, headers=headers) == [200, 200, 200, 429]


def test_clients_are_limited_separately() -> None:
    app = limited(limiter())
    assert statuses(app, 4, peer="203.0.113.1")[-1] == 429
    assert statuses(app, 3, peer="203.0.113.2") == [200] * 3


def test_other_paths_are_not_limited() -> None:
    assert statuses(limited(limiter()), 10, "/healthz") == [200] * 10


def test_paths_can_be_listed_exactly() -> None:
    app = RateLimitMiddleware(EchoApp(), limiter(), prefixes=["/v1/"], paths=["/"])
    assert statuses(app, 4, "/")[-1] == 429
    assert statuses(app, 4, "/page.css") == [200] * 4


def test_a_rate_of_zero_limits_nothing() -> None:
    assert statuses(limited(limiter(per_second=0.0)), 20) == [200] * 20


def test_a_batch_is_charged_as_a_whole_or_not_at_all() -> None:
    rate_limiter = limiter()
    rate_limiter.charge(scope("203.0.113.1"), 2)
    with pytest.raises(ApiError, match="2 requests a second"):
        rate_limiter.charge(scope("203.0.113.1"), 2)
    rate_limiter.charge(scope("203.0.113.1"), 1)


def test_only_the_most_recent_clients_are_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limit, "MAX_CLIENTS", 5)
    rate_limiter = limiter(burst=1)
    for number in range(50):
        rate_limiter.charge(scope(f"203.0.113.{number}"))
    assert len(rate_limiter._buckets) == 5
    with pytest.raises(ApiError):
        rate_limiter.charge(scope("203.0.113.49"))
    rate_limiter.charge(scope("203.0.113.0"))


@pytest.mark.promise(12)
def test_a_forged_header_does_not_change_the_address() -> None:
    assert client_address(scope("203.0.113.5", "1.2.3.4")) == "203.0.113.5"
    assert client_address(scope("127.0.0.1", "1.2.3.4")) == "127.0.0.1"
    assert client_address(scope("203.0.113.5", "1.2.3.4"), {PROXY}) == "203.0.113.5"


@pytest.mark.parametrize(
    ("forwarded", "client"),
    [
        (["203.0.113.5"], "203.0.113.5"),
        (["1.2.3.4, 203.0.113.5"], "203.0.113.5"),  # the first was sent by the client itself
        (["1.2.3.4", "203.0.113.5"], "203.0.113.5"),
        ([f"203.0.113.5, {PROXY}"], "203.0.113.5"),
        ([], PROXY),
        ([" , "], PROXY),
    ],
)
def test_the_address_that_a_trusted_proxy_appends_is_used(
    forwarded: list[str], client: str
) -> None:
    assert client_address(scope(PROXY, *forwarded), {PROXY}) == client


def test_all_addresses_of_an_ipv6_network_are_one_client() -> None:
    assert client_address(scope("2001:db8::1")) == client_address(scope("2001:db8::ffff:1"))
    assert client_address(scope("2001:db8::1")) != client_address(scope("2001:db8:0:1::1"))
    assert client_address(scope("::ffff:203.0.113.5")) == "203.0.113.5"


def test_a_connection_without_an_address_is_one_client() -> None:
    assert client_address({"type": "http", "client": None, "headers": []}) == ""
