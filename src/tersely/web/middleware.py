"""Middleware: everything a request passes before the code of a site, in one order.

request log → security headers → host and origin → rate limit → access token → body limit → app

Every response is logged and carries the headers, errors of the middleware included. Tokens
cannot be guessed faster than the rate limit allows. A body is read only from clients that
have passed all other checks.
"""

from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import ASGIApp

from tersely.web.access_token import AccessTokenMiddleware
from tersely.web.body_limit import MAX_BODY_BYTES, BodyLimitMiddleware
from tersely.web.origins import OriginMiddleware, Site
from tersely.web.rate_limit import RateLimiter, RateLimitMiddleware
from tersely.web.request_log import RequestLogMiddleware, RequestRecord
from tersely.web.security_headers import SecurityHeadersMiddleware


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessPolicy:
    """The rules that requests to a site must meet."""

    site: Site
    limiter: RateLimiter
    token: str | None = None
    rate_limited: tuple[str, ...] = ("/v1/",)
    """Path prefixes whose requests count against a client's rate."""
    protected: tuple[str, ...] = ("/v1/", "/metrics", "/openapi.json")
    """Path prefixes that pages of other sites must not read, and that need the token, if any."""
    max_body_bytes: int = MAX_BODY_BYTES


def add_middleware(
    app: ASGIApp, policy: AccessPolicy, *, on_finish: Callable[[RequestRecord], None]
) -> ASGIApp:
    """Wrap an app; `on_finish` receives the record of each request once it is over."""
    app = BodyLimitMiddleware(app, max_bytes=policy.max_body_bytes)
    if policy.token is not None:
        app = AccessTokenMiddleware(app, policy.token, prefixes=policy.protected)
        # Every request that shows a token counts, so that tokens cannot be guessed quickly.
        counted = (*policy.rate_limited, *policy.protected)
        app = RateLimitMiddleware(app, policy.limiter, prefixes=counted, paths={"/"})
    else:
        app = RateLimitMiddleware(app, policy.limiter, prefixes=policy.rate_limited)
    app = OriginMiddleware(app, policy.site, prefixes=policy.protected)
    return RequestLogMiddleware(SecurityHeadersMiddleware(app), on_finish)
