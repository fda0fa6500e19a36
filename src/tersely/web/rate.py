"""Rates: how much one client may ask for.

Each client has a bucket that holds `burst` requests and is refilled at a rate; who finds
it empty waits. Only the clients seen last are remembered, so many addresses cost little.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Collection

from starlette.types import ASGIApp, Receive, Scope, Send

from tersely.web.clients import client_of
from tersely.web.errors import Refusal

MAX_CLIENTS = 10_000


class RateLimiter:
    """A bucket a client. A rate of 0 limits nothing."""

    def __init__(
        self,
        *,
        per_second: float,
        burst: int,
        trusted_proxies: Collection[str] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._per_second = per_second
        self._burst = burst
        self._trusted_proxies = frozenset(trusted_proxies)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # content, when

    def charge(self, scope: Scope, requests: int = 1) -> None:
        """Take requests out of the client's bucket; refuse them if there are not so many."""
        if not self._per_second or not requests:
            return
        seconds = self._take(client_of(scope, self._trusted_proxies), requests)
        if seconds > 0:
            raise Refusal(
                429,
                "too_many_requests",
                f"More than {self._per_second:g} requests a second. Wait and try again.",
                headers={"Retry-After": str(math.ceil(seconds))},
            )

    def _take(self, client: str, requests: int) -> float:
        """Seconds to wait; 0 if the requests were taken."""
        now = self._clock()
        content, then = self._buckets.pop(client, (float(self._burst), now))
        content = min(self._burst, content + (now - then) * self._per_second)
        is_enough = content >= requests
        self._buckets[client] = (content - requests if is_enough else content, now)
        if len(self._buckets) > MAX_CLIENTS:
            self._buckets.popitem(last=False)
        return 0.0 if is_enough else (requests - content) / self._per_second


class RateLimit:
    """Charges each request below the given paths, and for those given exactly, to its client."""

    def __init__(
        self,
        app: ASGIApp,
        limiter: RateLimiter,
        *,
        below: Collection[str],
        exactly: Collection[str] = (),
    ) -> None:
        self._app = app
        self._limiter = limiter
        self._below = tuple(below)
        self._exactly = frozenset(exactly)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve, or answer 429 and say when to come back."""
        if scope["type"] == "http" and self._counts(scope["path"]):
            try:
                self._limiter.charge(scope)
            except Refusal as refusal:
                return await refusal.response()(scope, receive, send)
        return await self._app(scope, receive, send)

    def _counts(self, path: str) -> bool:
        return path.startswith(self._below) or path in self._exactly
