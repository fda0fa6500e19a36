import json
import logging
import logging.config
from collections.abc import Iterator

import pytest

from tersely.web.logs import JsonLines, log_exchange, logging_config
from tersely.web.observing import Exchange


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Loggers are the process's: give them back as they were."""
    loggers = [logging.getLogger(name) for name in ("tersely", "uvicorn")]
    before = [(own, own.handlers[:], own.level, own.propagate) for own in loggers]
    yield
    for own, handlers, level, propagates in before:
        own.handlers[:], own.propagate = handlers, propagates
        own.setLevel(level)


def test_an_exchange_is_one_line_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    logging.config.dictConfig(logging_config("info"))
    log_exchange(Exchange("POST", "/v1/complete", 200, 0.0123456))
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


def test_the_level_holds(capsys: pytest.CaptureFixture[str]) -> None:
    logging.config.dictConfig(logging_config("warning"))
    log_exchange(Exchange("POST", "/v1/complete", 200, 0.01))
    assert capsys.readouterr().err == ""


def test_an_error_is_told_by_kind_and_place_not_by_its_words() -> None:
    try:
        raise ValueError("what a person typed")
    except ValueError as error:
        info = (type(error), error, error.__traceback__)
    record = logging.LogRecord("tersely", logging.ERROR, __file__, 1, "failed", None, info)
    text = JsonLines().format(record)
    assert "person" not in text
    line = json.loads(text)
    assert line["error"] == "ValueError"
    assert line["at"][-1].startswith("test_logs.py:")
    assert "\n" not in text
