"""Logs: one JSON object a line, about requests and failures, never with a person's text.

An error's message may quote what someone typed, so of an error its kind and the lines of
code it passed through are told, not its words.
"""

import json
import logging
import traceback
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any

from tersely.web.observing import Exchange

LOGGER = "tersely.web"


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The usual fields, those given as `extra={"fields": …}`, and where an error was."""
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
                for frame in traceback.extract_tb(error.__traceback__)[-8:]
            ]
        return json.dumps(line, ensure_ascii=False)


def log_exchange(exchange: Exchange) -> None:
    """One line a request."""
    fields = {
        "method": exchange.method,
        "route": exchange.route,
        "status": exchange.status,
        "milliseconds": round(exchange.seconds * 1000, 2),
    }
    logging.getLogger(LOGGER).info("request", extra={"fields": fields})


def logging_config(level: str) -> dict[str, Any]:
    """For `logging.config.dictConfig`: everything as JSON lines, on stderr."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": "tersely.web.logs.JsonLines"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "loggers": {
            name: {"handlers": ["stderr"], "level": level.upper(), "propagate": False}
            for name in ("tersely", "uvicorn")
        },
    }
