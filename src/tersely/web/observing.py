"""Observing: what happened to each request, for logs and metrics; never what was in it."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

UNKNOWN_ROUTE = "unknown"


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and how it was answered."""

    method: str
    route: str
    """As the app declares it; the path that was asked for may be anything, so it is not told."""
    status: int
    seconds: float


class Observed:
    """Tells of each exchange once it is over."""

    def __init__(self, app: ASGIApp, tell: Callable[[Exchange], None]) -> None:
        self._app = app
        self._tell = tell

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve, and take the time."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        start = time.perf_counter()
        status = 500

        async def listen(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, listen)
        finally:
            route = getattr(scope.get("route"), "path", UNKNOWN_ROUTE)
            seconds = time.perf_counter() - start
            self._tell(Exchange(_known(scope["method"]), route, status, seconds))


def _known(method: str) -> str:
    """A method is a client's free text, too."""
    usual = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"}
    return method if method in usual else "other"
