"""Access tokens: who knows the token may use what is behind it.

Programs send it as `Authorization: Bearer TOKEN`. A browser is let in once by
`/?token=TOKEN` and from then on by a cookie, which scripts cannot read, other sites
cannot send, and from which the token cannot be computed.
"""

import hashlib
import hmac
from collections.abc import Collection
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tersely.web.errors import Refusal

COOKIE = "tersely"
MIN_CHARACTERS = 16


class AccessToken:
    """Lets requests below the protected paths through that show the token."""

    def __init__(self, app: ASGIApp, token: str, *, below: Collection[str]) -> None:
        self._app = app
        self._token = token.encode()
        self._below = tuple(below)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve, let in, or answer 401."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        if scope["path"] == "/" and b"token=" in scope["query_string"]:
            return await self._let_in(scope)(scope, receive, send)
        if scope["path"].startswith(self._below) and not self._is_shown(Headers(scope=scope)):
            refusal = Refusal(
                401,
                "unauthorised",
                "An access token is needed: Authorization: Bearer TOKEN.",
                headers={"WWW-Authenticate": "Bearer"},
            )
            return await refusal.response()(scope, receive, send)
        return await self._app(scope, receive, send)

    def _is_shown(self, headers: Headers) -> bool:
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return _equal(token.strip().encode(), self._token)
        return _equal(_cookie(headers).encode(), self._cookie_value().encode())

    def _cookie_value(self) -> str:
        return hmac.new(self._token, b"tersely cookie", hashlib.sha256).hexdigest()

    def _let_in(self, scope: Scope) -> Response:
        asked = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if not _equal(asked.encode(), self._token):
            return Refusal(401, "unauthorised", "This is not the access token.").response()
        response = RedirectResponse("/", status_code=303)
        response.set_cookie(
            COOKIE,
            self._cookie_value(),
            httponly=True,
            samesite="strict",
            secure=scope["scheme"] == "https",
        )
        return response


def _cookie(headers: Headers) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def _equal(given: bytes, expected: bytes) -> bool:
    """Compare in a time that tells neither content nor length."""
    return hmac.compare_digest(hashlib.sha256(given).digest(), hashlib.sha256(expected).digest())
