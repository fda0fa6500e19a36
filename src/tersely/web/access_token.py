"""Access token: a shared secret that protects a service others can reach.

Programs send `Authorization: Bearer TOKEN`. A browser visits `/?token=TOKEN` once and gets a
cookie. Scripts cannot read the cookie, other sites cannot send it, and the token cannot be
computed from it.
"""

import hashlib
import hmac
from collections.abc import Collection
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tersely.web.errors import ApiError

COOKIE = "tersely"
MIN_TOKEN_CHARACTERS = 16


class AccessTokenMiddleware:
    """Require the token for requests whose path has one of the prefixes."""

    def __init__(self, app: ASGIApp, token: str, *, prefixes: Collection[str]) -> None:
        self._app = app
        self._token = token.encode()
        self._prefixes = tuple(prefixes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the app, log a browser in, or respond 401."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        if scope["path"] == "/" and b"token=" in scope["query_string"]:
            return await self._log_in(scope)(scope, receive, send)
        is_protected = scope["path"].startswith(self._prefixes)
        if is_protected and not self._is_authorised(Headers(scope=scope)):
            error = ApiError(
                401,
                "unauthorised",
                "An access token is needed: Authorization: Bearer TOKEN.",
                headers={"WWW-Authenticate": "Bearer"},
            )
            return await error.response()(scope, receive, send)
        return await self._app(scope, receive, send)

    def _is_authorised(self, headers: Headers) -> bool:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return _equal(token.strip().encode(), self._token)
        return _equal(_read_cookie(headers).encode(), self._cookie_value().encode())

    def _cookie_value(self) -> str:
        return hmac.new(self._token, b"tersely cookie", hashlib.sha256).hexdigest()

    def _log_in(self, scope: Scope) -> Response:
        token = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if not _equal(token.encode(), self._token):
            return ApiError(401, "unauthorised", "This is not the access token.").response()
        response = RedirectResponse("/", status_code=303)
        response.set_cookie(
            COOKIE,
            self._cookie_value(),
            httponly=True,
            samesite="strict",
            secure=scope["scheme"] == "https",
        )
        return response


def _read_cookie(headers: Headers) -> str:
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return cookie.value if cookie is not None else ""


def _equal(given: bytes, expected: bytes) -> bool:
    """Compare in a time that depends on neither content nor length."""
    return hmac.compare_digest(hashlib.sha256(given).digest(), hashlib.sha256(expected).digest())
