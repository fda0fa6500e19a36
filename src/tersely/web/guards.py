"""Guards: everything a request passes before a site's own code sees it, in one order.

observed → headers → host and origin → rate → token → body → the app

A refusal by any of them is observed and carries the headers; tokens cannot be guessed
faster than the rate; nothing is read from who may not ask.
"""

from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import ASGIApp

from tersely.web.body import MAX_BYTES, BodyLimit
from tersely.web.headers import SecurityHeaders
from tersely.web.observing import Exchange, Observed
from tersely.web.origins import Origins, Site
from tersely.web.rate import RateLimit, RateLimiter
from tersely.web.tokens import AccessToken


@dataclass(frozen=True, slots=True, kw_only=True)
class Guards:
    """What a site asks of its requests."""

    site: Site
    limiter: RateLimiter
    token: str | None = None
    limited: tuple[str, ...] = ("/v1/",)
    """Paths whose requests count against a client's rate."""
    protected: tuple[str, ...] = ("/v1/", "/metrics", "/openapi.json")
    """Paths that other sites' pages may not even read, and that need the token if there is one."""
    max_body_bytes: int = MAX_BYTES


def guarded(app: ASGIApp, guards: Guards, *, tell: Callable[[Exchange], None]) -> ASGIApp:
    """Put the guards around an app."""
    inner: ASGIApp = BodyLimit(app, max_bytes=guards.max_body_bytes)
    if guards.token is not None:
        inner = AccessToken(inner, guards.token, below=guards.protected)
        # Wherever a token is looked at it can be guessed, so there every request counts.
        counted = (*guards.limited, *guards.protected)
        inner = RateLimit(inner, guards.limiter, below=counted, exactly={"/"})
    else:
        inner = RateLimit(inner, guards.limiter, below=guards.limited)
    inner = Origins(inner, guards.site, below=guards.protected)
    return Observed(SecurityHeaders(inner), tell)
