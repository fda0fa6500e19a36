"""Origins: whose page sends a request. A page of another site must not act in a person's name.

Three checks, each against its own trick:

host           the name asked for must be one of this service's; another name that a
               stranger lets point here (DNS rebinding) is refused
origin         a browser says which site a request comes from, by `Origin` or
               `Sec-Fetch-Site`; only this one and those allowed may
content type   what writes must be JSON, which a form of another site cannot send

Programs send neither `Origin` nor `Sec-Fetch-Site`, and are not bound by the second.
"""

from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tersely.web.clients import is_address
from tersely.web.errors import Refusal

READING = frozenset({"GET", "HEAD", "OPTIONS"})
ALLOWED_METHODS = "GET, POST, PUT, DELETE"
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})


@dataclass(frozen=True, slots=True)
class Site:
    """Names this site goes by, and the other sites whose pages may use it."""

    hosts: frozenset[str] = LOOPBACK_NAMES
    """Without port."""
    any_address: bool = False
    """Whether every address will do as a host: names can be made to point here, addresses not."""
    origins: frozenset[str] = frozenset()
    """Behind a proxy that speaks https, the site's own one is among them."""

    def is_own_host(self, host: str) -> bool:
        """Tell whether a Host header names this site."""
        name = host_name(host)
        return name in self.hosts or (self.any_address and is_address(name))

    def is_own_origin(self, origin: str, scope: Scope, host: str) -> bool:
        """Tell whether an origin is this site itself."""
        return origin == f"{scope['scheme']}://{host}"


def host_name(host: str) -> str:
    """A Host header without its port, in lower case; empty if it is none."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
    return f"[{name}]" if ":" in name else name


class Origins:
    """Refuses what comes from other sites; lets those allowed read the answers."""

    def __init__(self, app: ASGIApp, site: Site, *, below: Collection[str]) -> None:
        self._app = app
        self._site = site
        self._below = tuple(below)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve, answer a browser's question whether it may ask, or refuse."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        try:
            is_foreign = self._is_foreign(scope, headers)
            if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
                if is_foreign:
                    raise _cross_site()
                return await _may_ask(headers)(scope, receive, _allowing(origin, send))
            self._check(scope, headers, is_foreign=is_foreign)
        except Refusal as refusal:
            return await refusal.response()(scope, receive, send)
        if origin is not None and origin in self._site.origins:
            send = _allowing(origin, send)
        return await self._app(scope, receive, send)

    def _is_foreign(self, scope: Scope, headers: Headers) -> bool:
        host = headers.get("host", "")
        if not self._site.is_own_host(host):
            message = "This service does not go by that name. Allow it with --allow-host."
            raise Refusal(403, "unknown_host", message)
        origin = headers.get("origin")
        if origin is not None:
            is_own = self._site.is_own_origin(origin, scope, host)
            return not is_own and origin not in self._site.origins
        return headers.get("sec-fetch-site", "none") not in ("none", "same-origin")

    def _check(self, scope: Scope, headers: Headers, *, is_foreign: bool) -> None:
        reads = scope["method"] in READING
        if is_foreign and (not reads or scope["path"].startswith(self._below)):
            raise _cross_site()
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if not reads and kind != "application/json":
            raise Refusal(415, "not_json", "Send JSON, with Content-Type: application/json.")


def _cross_site() -> Refusal:
    message = "A page of another site may not do this. Allow its origin with --allow-origin."
    return Refusal(403, "cross_site", message)


def _may_ask(headers: Headers) -> Response:
    response = Response(status_code=204)
    response.headers["Access-Control-Allow-Methods"] = ALLOWED_METHODS
    response.headers["Access-Control-Allow-Headers"] = "Authorization, Content-Type"
    response.headers["Access-Control-Max-Age"] = "600"
    if headers.get("access-control-request-private-network") == "true":
        response.headers["Access-Control-Allow-Private-Network"] = "true"
    return response


def _allowing(origin: str | None, send: Send) -> Send:
    async def allow(message: Message) -> None:
        if message["type"] == "http.response.start" and origin is not None:
            headers = MutableHeaders(scope=message)
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Expose-Headers"] = "Retry-After"
            headers["Cross-Origin-Resource-Policy"] = "cross-origin"
            headers.add_vary_header("Origin")
        await send(message)

    return allow
