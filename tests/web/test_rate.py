import asyncio

import pytest

from tersely.web import rate
from tersely.web.errors import Refusal
from tersely.web.rate import RateLimit, RateLimiter
from tests.web.asking import Echo, ask, problem


class Clock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def limiter(clock: Clock, **given: object) -> RateLimiter:
    return RateLimiter(**{"per_second": 2.0, "burst": 3, "clock": clock, **given})


def limited(own: RateLimiter) -> RateLimit:
    return RateLimit(Echo(), own, below=["/v1/"])


def statuses(app: RateLimit, count: int, path: str = "/v1/complete", **given: object) -> list[int]:
    return [asyncio.run(ask(app, "GET", path, **given)).status_code for _ in range(count)]


@pytest.mark.promise(12)
def test_beyond_the_rate_a_client_waits() -> None:
    clock = Clock()
    app = limited(limiter(clock))
    assert statuses(app, 5) == [200, 200, 200, 429, 429]
    refused = asyncio.run(ask(app, "GET", "/v1/complete"))
    assert problem(refused) == "too_many_requests"
    assert refused.headers["retry-after"] == "1"
    clock.now += 1.0
    assert statuses(app, 3) == [200, 200, 429]


@pytest.mark.promise(12)
def test_a_forged_header_does_not_make_a_new_client() -> None:
    app = limited(limiter(Clock()))
    answers = [
        asyncio.run(
            ask(app, "GET", "/v1/complete", headers={"X-Forwarded-For": f"198.51.100.{number}"})
        ).status_code
        for number in range(6)
    ]
    assert answers == [200, 200, 200, 429, 429, 429]


def test_clients_behind_a_trusted_proxy_are_told_apart() -> None:
    app = limited(limiter(Clock(), trusted_proxies=["127.0.0.1"]))
    for number in range(6):
        headers = {"X-Forwarded-For": f"198.51.100.{number}"}
        assert statuses(app, 4, headers=headers) == [200, 200, 200, 429]


def test_one_client_does_not_use_up_anothers() -> None:
    app = limited(limiter(Clock()))
    assert statuses(app, 4, peer="203.0.113.1")[-1] == 429
    assert statuses(app, 3, peer="203.0.113.2") == [200] * 3


def test_other_paths_are_free() -> None:
    assert statuses(limited(limiter(Clock())), 10, "/healthz") == [200] * 10


def test_paths_can_be_named_exactly() -> None:
    app = RateLimit(Echo(), limiter(Clock()), below=["/v1/"], exactly=["/"])
    assert statuses(app, 4, "/")[-1] == 429
    assert statuses(app, 4, "/page.css") == [200] * 4


def test_a_rate_of_zero_limits_nothing() -> None:
    assert statuses(limited(limiter(Clock(), per_second=0.0)), 20) == [200] * 20


def test_a_batch_is_charged_as_a_whole_or_not_at_all() -> None:
    own = limiter(Clock())
    scope = {"type": "http", "client": ("203.0.113.1", 1), "headers": []}
    own.charge(scope, 2)
    with pytest.raises(Refusal, match="2 requests a second"):
        own.charge(scope, 2)
    own.charge(scope, 1)


def test_only_so_many_clients_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate, "MAX_CLIENTS", 5)
    own = limiter(Clock())
    for number in range(50):
        own.charge({"type": "http", "client": (f"203.0.113.{number}", 1), "headers": []})
    assert len(own._buckets) == 5
