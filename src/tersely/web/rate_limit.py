"""Rate limit: how many requests each client may send.

Each client has a token bucket: it holds `burst` requests and is refilled at a constant rate.
Only the most recent clients are stored, so that many addresses need little memory.

The address of a client is that of its connection. `X-Forwarded-For` counts only if the
connection comes from a trusted proxy.
"""

import math
import time
from collections.abc import Callable, Collection
from ipaddress import IPv6Address, ip_address, ip_network

from cachetools import LRUCache
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from tersely.web.errors import ApiError

MAX_CLIENTS = 10_000
IPV6_PREFIX_BITS = 64
"""A home or a server gets at least this network and may use every address in it."""
MAX_ADDRESS_CHARACTERS = 64


class RateLimiter:
    """One token bucket per client. A rate of 0 limits nothing."""

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
        # client → (requests left, time of the last refill)
        self._buckets: LRUCache[str, tuple[float, float]] = LRUCache(MAX_CLIENTS)

    def charge(self, scope: Scope, requests: int = 1) -> None:
        """Take requests out of the client's bucket; raise a 429 error if it holds too few."""
        if not self._per_second or not requests:
            return
        seconds = self._take(client_address(scope, self._trusted_proxies), requests)
        if seconds > 0:
            raise ApiError(
                429,
                "too_many_requests",
                f"More than {self._per_second:g} requests a second. Wait and try again.",
                headers={"Retry-After": str(math.ceil(seconds))},
            )

    def _take(self, client: str, requests: int) -> float:
        """Return 0 if the requests were taken, else the seconds until they can be."""
        now = self._clock()
        left, refilled = self._buckets.get(client, (float(self._burst), now))
        left = min(self._burst, left + (now - refilled) * self._per_second)
        is_enough = left >= requests
        self._buckets[client] = (left - requests if is_enough else left, now)
        return 0.0 if is_enough else (requests - left) / self._per_second


class RateLimitMiddleware:
    """Charge each request to its client if its path is listed or has a listed prefix."""

    def __init__(
        self,
        app: ASGIApp,
        limiter: RateLimiter,
        *,
        prefixes: Collection[str],
        paths: Collection[str] = (),
    ) -> None:
        self._app = app
        self._limiter = limiter
        self._prefixes = tuple(prefixes)
        self._paths = frozenset(paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the app, or respond 429 with the time to wait."""
        if scope["type"] == "http" and self._is_limited(scope["path"]):
            try:
                self._limiter.charge(scope)
            except ApiError as error:
                return await error.response()(scope, receive, send)
        return await self._app(scope, receive, send)

    def _is_limited(self, path: str) -> bool:
        return path.startswith(self._prefixes) or path in self._paths


def client_address(scope: Scope, trusted_proxies: Collection[str] = ()) -> str:
    """Return the address of the client; for IPv6 its /64 network."""
    address = scope["client"][0] if scope.get("client") else ""
    if address in trusted_proxies:
        forwarded = ",".join(Headers(scope=scope).getlist("x-forwarded-for")).split(",")
        # Each proxy appends the address it received from, so the list is trusted from its end.
        for hop in reversed([hop.strip() for hop in forwarded if hop.strip()]):
            address = hop
            if hop not in trusted_proxies:
                break
    return _normalise(address)


def _normalise(address: str) -> str:
    try:
        parsed = ip_address(address)
    except ValueError:
        return address[:MAX_ADDRESS_CHARACTERS]
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed.packed, IPV6_PREFIX_BITS), strict=False))
