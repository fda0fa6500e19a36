"""Body limit: a maximum size and a maximum time for every request body.

The limit counts the bytes that arrive; a `Content-Length` header is not trusted.
"""

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tersely.web.errors import ApiError

MAX_BODY_BYTES = 8 << 10
MAX_BODY_SECONDS = 5.0
MAX_DRAINED_BYTES = 1 << 20
"""Bytes of an oversized body that are read and discarded. A client that is still sending
reads the 413 response only if its bytes are taken."""
CLOSE_CONNECTION = {"Connection": "close"}


class BodyLimitMiddleware:
    """Read the body before the app runs; respond 413 if it is too large, 408 if too slow."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        max_bytes: int = MAX_BODY_BYTES,
        max_seconds: float = MAX_BODY_SECONDS,
    ) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._max_seconds = max_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass requests with a body within the limits to the app."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        try:
            async with asyncio.timeout(self._max_seconds):
                body = await self._read_body(Headers(scope=scope), receive)
        except TimeoutError:
            message = "The body did not arrive in time."
            error = ApiError(408, "too_slow", message, headers=CLOSE_CONNECTION)
            return await error.response()(scope, receive, send)
        except ApiError as error:
            return await error.response()(scope, receive, send)
        if body is None:
            return None  # the client has disconnected: there is nobody to respond to
        return await self._app(scope, _replay(body, receive), send)

    async def _read_body(self, headers: Headers, receive: Receive) -> bytes | None:
        """Return the whole body, or None if the client disconnected while sending."""
        content_length = headers.get("content-length", "0")
        if content_length.isdecimal() and int(content_length) > MAX_DRAINED_BYTES:
            raise self._too_large()
        chunks: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            chunk = message.get("body", b"")
            size += len(chunk)
            if size <= self._max_bytes:
                chunks.append(chunk)
            if size > MAX_DRAINED_BYTES:
                raise self._too_large()
            if not message.get("more_body", False):
                break
        if size > self._max_bytes:
            raise self._too_large()
        return b"".join(chunks)

    def _too_large(self) -> ApiError:
        message = f"The body has more than {self._max_bytes:,} bytes."
        return ApiError(413, "too_large", message, headers=CLOSE_CONNECTION)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body once, then what the connection gives."""
    was_sent = False

    async def replay() -> Message:
        nonlocal was_sent
        if was_sent:
            return await receive()
        was_sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
