import asyncio
import json
import logging
import logging.config
from collections.abc import Iterator

import pytest
from fastapi import FastAPI

from tersely.web.errors import install_error_handlers
from tersely.web.request_log import (
    JsonFormatter,
    RequestLogMiddleware,
    RequestRecord,
    log_request,
    logging_config,
)
from tests.web.asgi import request


@pytest.fixture(autouse=True)
def _restore_loggers() -> Iterator[None]:
    """Restore the loggers of the process."""
    loggers = [logging.getLogger(name) for name in ("tersely", "uvicorn")]
    states = [(logger.handlers[:], logger.level, logger.propagate) for logger in loggers]
    yield
    for logger, (handlers, level, propagate) in zip(loggers, states, strict=True):
        logger.handlers[:], logger.propagate = handlers, propagate
        logger.setLevel(level)


def recorded(records: list[RequestRecord]) -> RequestLogMiddleware:
    app = FastAPI()
    install_error_handlers(app)

    @app.get("/things/{name}")
    def thing(name: str) -> str:
        if name == "broken":
            raise ValueError(name)
        return name

    return RequestLogMiddleware(app, records.append)


def test_a_record_has_the_declared_route_instead_of_the_path() -> None:
    records: list[RequestRecord] = []
    asyncio.run(request(recorded(records), "GET", "/things/secret?and=more"))
    (record,) = records
    assert (record.method, record.route, record.status) == ("GET", "/things/{name}", 200)
    assert 0 < record.seconds < 10
    assert "secret" not in repr(record)


def test_a_record_of_an_unknown_route_and_method_has_neither() -> None:
    records: list[RequestRecord] = []
    asyncio.run(request(recorded(records), "SECRET", "/secret"))
    assert "secret" not in repr(records).lower()
    assert records[0].status == 404


def test_an_unexpected_error_is_recorded_as_500() -> None:
    records: list[RequestRecord] = []
    asyncio.run(request(recorded(records), "GET", "/things/broken"))
    assert [record.status for record in records] == [500]


def test_a_request_is_one_line_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    logging.config.dictConfig(logging_config("info"))
    log_request(RequestRecord("POST", "/v1/complete", 200, 0.0123456))
    line = json.loads(capsys.readouterr().err)
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "info",
        "event": "request",
        "method": "POST",
        "route": "/v1/complete",
        "status": 200,
        "milliseconds": 12.35,
    }


def test_lines_below_the_level_are_not_logged(capsys: pytest.CaptureFixture[str]) -> None:
    logging.config.dictConfig(logging_config("warning"))
    log_request(RequestRecord("POST", "/v1/complete", 200, 0.01))
    assert capsys.readouterr().err == ""


def test_an_exception_is_logged_by_class_and_place_without_its_message() -> None:
    try:
        raise ValueError("what a person typed")
    except ValueError as error:
        info = (type(error), error, error.__traceback__)
    record = logging.LogRecord("tersely", logging.ERROR, __file__, 1, "failed", None, info)
    text = JsonFormatter().format(record)
    assert "person" not in text
    line = json.loads(text)
    assert line["error"] == "ValueError"
    assert line["at"][-1].startswith("test_request_log.py:")
    assert "\n" not in text
