"""Request log: one record per request for metrics, and one JSON line per record for logs.

Neither holds a person's text. A record names the declared route instead of the path. The
message of an exception may quote what a person typed, so a log line has the class of the
exception and the lines of code it passed through, without its message.
"""

import json
import logging
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOGGER = logging.getLogger("tersely.web")
UNKNOWN_ROUTE = "unknown"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})
MAX_FRAMES = 8


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """A request and the status of its response."""

    method: str
    route: str
    """The path as the app declares it; the path of the request may hold anything."""
    status: int
    seconds: float


class RequestLogMiddleware:
    """Pass a record of each request to `on_finish` once the response has been sent."""

    def __init__(self, app: ASGIApp, on_finish: Callable[[RequestRecord], None]) -> None:
        self._app = app
        self._on_finish = on_finish

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the app and measure the time."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        start = time.perf_counter()
        status = 500

        async def send_and_note_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_and_note_status)
        finally:
            # A method is free text of the client, too.
            method = scope["method"] if scope["method"] in METHODS else "other"
            route = getattr(scope.get("route"), "path", UNKNOWN_ROUTE)
            self._on_finish(RequestRecord(method, route, status, time.perf_counter() - start))


class JsonFormatter(logging.Formatter):
    """Format a log record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the usual fields, `extra={"fields": …}`, and the place of an exception."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            line["error"] = type(error).__name__
            line["at"] = [
                f"{PurePath(frame.filename).name}:{frame.lineno} {frame.name}"
                for frame in traceback.extract_tb(error.__traceback__)[-MAX_FRAMES:]
            ]
        return json.dumps(line, ensure_ascii=False)


def log_request(record: RequestRecord) -> None:
    """Log a request as one line."""
    fields = {
        "method": record.method,
        "route": record.route,
        "status": record.status,
        "milliseconds": round(record.seconds * 1000, 2),
    }
    LOGGER.info("request", extra={"fields": fields})


def logging_config(level: str) -> dict[str, Any]:
    """Return a config for `logging.config.dictConfig`: JSON lines on stderr."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": "tersely.web.request_log.JsonFormatter"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "loggers": {
            name: {"handlers": ["stderr"], "level": level.upper(), "propagate": False}
            for name in ("tersely", "uvicorn")
        },
    }
