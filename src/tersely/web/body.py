"""Bodies are bounded, in size and in time, whatever a request says about its length."""

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tersely.web.errors import Refusal

MAX_BYTES = 8 << 10
MAX_SECONDS = 5.0
DRAINED_BYTES = 1 << 20
"""So much of a body that is too large is read and thrown away, so that the client, who is
still sending, gets to read the answer."""


class BodyLimit:
    """Reads the body before the app runs; too large is 413, too slow 408."""

    def __init__(
        self, app: ASGIApp, *, max_bytes: int = MAX_BYTES, max_seconds: float = MAX_SECONDS
    ) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._max_seconds = max_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is small enough."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        try:
            async with asyncio.timeout(self._max_seconds):
                body = await self._read(Headers(scope=scope), receive)
        except TimeoutError:
            late = Refusal(408, "too_slow", "The body did not arrive in time.", headers=CLOSE)
            return await late.response()(scope, receive, send)
        except Refusal as refusal:
            return await refusal.response()(scope, receive, send)
        if body is None:
            return None  # the client has gone; nobody is left to answer
        return await self._app(scope, _replaying(body, receive), send)

    async def _read(self, headers: Headers, receive: Receive) -> bytes | None:
        """The whole body, or None if the client left while sending."""
        announced = headers.get("content-length", "0")
        if announced.isdecimal() and int(announced) > DRAINED_BYTES:
            raise self._too_large()
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            part = message.get("body", b"")
            size += len(part)
            if size <= self._max_bytes:
                parts.append(part)
            if size > DRAINED_BYTES:
                raise self._too_large()
            if not message.get("more_body", False):
                break
        if size > self._max_bytes:
            raise self._too_large()
        return b"".join(parts)

    def _too_large(self) -> Refusal:
        message = f"The body has more than {self._max_bytes:,} bytes."
        return Refusal(413, "too_large", message, headers=CLOSE)


CLOSE = {"Connection": "close"}


def _replaying(body: bytes, receive: Receive) -> Receive:
    """Give the body once, then whatever comes: the client's leaving."""
    is_given = False

    async def replay() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
