"""Origins: pages of other sites must not act in a person's name.

Three checks, each against one attack:

host           the Host header must name this service. A foreign name that resolves to this
               address (DNS rebinding) is refused.
origin         a browser states the site a request comes from in `Origin` or
               `Sec-Fetch-Site`. It must be this site or an allowed one.
content type   requests that write must be JSON, which a form of another site cannot send.

Programs send neither `Origin` nor `Sec-Fetch-Site`; the second check does not affect them.
"""

from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tersely.web.errors import ApiError

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
CORS_METHODS = "GET, POST, PUT, DELETE"
CORS_MAX_AGE_SECONDS = 600
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})


@dataclass(frozen=True, slots=True)
class Site:
    """The host names of this site, and the origins of other sites that may use it."""

    hosts: frozenset[str] = LOOPBACK_NAMES
    """Without port."""
    any_address: bool = False
    """Whether every IP address is accepted as host: DNS rebinding needs a name."""
    origins: frozenset[str] = frozenset()
    """Behind an HTTPS proxy, the site's own origin must be among them."""

    def is_own_host(self, host: str) -> bool:
        """Return whether a Host header names this site."""
        name = host_name(host)
        return name in self.hosts or (self.any_address and is_ip_address(name))

    def is_own_origin(self, origin: str, scope: Scope, host: str) -> bool:
        """Return whether an origin is this site itself."""
        return origin == f"{scope['scheme']}://{host}"


class OriginMiddleware:
    """Refuse requests of other sites' pages; allow listed origins to read the responses.

    `prefixes` are the paths that other sites must not even read.
    """

    def __init__(self, app: ASGIApp, site: Site, *, prefixes: Collection[str]) -> None:
        self._app = app
        self._site = site
        self._prefixes = tuple(prefixes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the app, respond to a CORS preflight, or respond 403 or 415."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        try:
            is_cross_site = self._is_cross_site(scope, headers)
            if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
                if is_cross_site:
                    raise _cross_site_error()
                return await _preflight_response(headers)(scope, receive, _allow(origin, send))
            self._check(scope, headers, is_cross_site=is_cross_site)
        except ApiError as error:
            return await error.response()(scope, receive, send)
        if origin is not None and origin in self._site.origins:
            send = _allow(origin, send)
        return await self._app(scope, receive, send)

    def _is_cross_site(self, scope: Scope, headers: Headers) -> bool:
        host = headers.get("host", "")
        if not self._site.is_own_host(host):
            message = "The Host header names no host of this service. Allow it with --allow-host."
            raise ApiError(403, "unknown_host", message)
        origin = headers.get("origin")
        if origin is not None:
            is_own = self._site.is_own_origin(origin, scope, host)
            return not is_own and origin not in self._site.origins
        return headers.get("sec-fetch-site", "none") not in ("none", "same-origin")

    def _check(self, scope: Scope, headers: Headers, *, is_cross_site: bool) -> None:
        is_safe = scope["method"] in SAFE_METHODS
        if is_cross_site and (not is_safe or scope["path"].startswith(self._prefixes)):
            raise _cross_site_error()
        content_type = headers.get("content-type", "").partition(";")[0].strip().lower()
        if not is_safe and content_type != "application/json":
            raise ApiError(415, "not_json", "Send JSON, with Content-Type: application/json.")


def _cross_site_error() -> ApiError:
    message = "A page of another site may not do this. Allow its origin with --allow-origin."
    return ApiError(403, "cross_site", message)


def _preflight_response(headers: Headers) -> Response:
    response = Response(status_code=204)
    response.headers["Access-Control-Allow-Methods"] = CORS_METHODS
    response.headers["Access-Control-Allow-Headers"] = "Authorization, Content-Type"
    response.headers["Access-Control-Max-Age"] = str(CORS_MAX_AGE_SECONDS)
    if headers.get("access-control-request-private-network") == "true":
        response.headers["Access-Control-Allow-Private-Network"] = "true"
    return response


def _allow(origin: str | None, send: Send) -> Send:
    """Return a `send` that adds the headers with which `origin` may read the response."""

    async def send_with_cors_headers(message: Message) -> None:
        if message["type"] == "http.response.start" and origin is not None:
            headers = MutableHeaders(scope=message)
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Expose-Headers"] = "Retry-After"
            headers["Cross-Origin-Resource-Policy"] = "cross-origin"
            headers.add_vary_header("Origin")
        await send(message)

    return send_with_cors_headers


def host_name(host: str) -> str:
    """Return a Host header without its port, in lower case; empty if it is malformed."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
    return f"[{name}]" if ":" in name else name


def is_loopback(host: str) -> bool:
    """Return whether only this computer can reach a service bound to `host`."""
    if host.lower() == "localhost":
        return True
    return is_ip_address(host) and ip_address(host.strip("[]")).is_loopback


def is_ip_address(host: str) -> bool:
    """Return whether a host is an IP address, not a name."""
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
