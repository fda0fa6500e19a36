"""Errors over HTTP: one shape for all of them, and nothing of the inside in it.

    {"error": {"code": "too_large", "message": "…"}}

A route or a guard raises `Refusal`; what frameworks raise is put into the same shape.
"""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

CODES = {
    400: "bad_request",
    401: "unauthorised",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    415: "not_json",
    422: "invalid",
    429: "too_many_requests",
    503: "overloaded",
}


class Refusal(Exception):  # noqa: N818 - it is an answer, not a failure
    """A request that is not served: why, for a program and for a person."""

    def __init__(
        self, status: int, code: str, message: str, *, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.headers = dict(headers or {})

    def response(self) -> JSONResponse:
        """As it is sent."""
        content = {"error": {"code": self.code, "message": self.message}}
        return JSONResponse(content, status_code=self.status, headers=self.headers)


class Problem(BaseModel):
    """What went wrong: a word for programs and a sentence for people."""

    code: str
    message: str


class ErrorAnswer(BaseModel):
    """Every answer that is none."""

    error: Problem


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The errors a route may answer with, for its OpenAPI entry."""
    return {status: {"model": ErrorAnswer} for status in statuses}


def install_error_handlers(app: FastAPI) -> None:
    """Answer every error of an app in the one shape."""
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _raised)
    app.add_exception_handler(Exception, _failed)


async def _refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    return error.response()


async def _invalid(_request: Request, error: Exception) -> Response:
    """Say which field is wrong and how; what was in it is not repeated."""
    assert isinstance(error, RequestValidationError)
    problems = [_describe(one) for one in error.errors()]
    return Refusal(422, CODES[422], "; ".join(dict.fromkeys(problems))[:500]).response()


def _describe(problem: Mapping[str, Any]) -> str:
    if problem["type"] == "json_invalid":
        return "The body is not proper JSON."
    tagged = {"body", "query", "one", "batch_of"}
    place = ".".join(str(part) for part in problem["loc"] if part not in tagged)
    message = str(problem["msg"]).removeprefix("Value error, ").rstrip(".")
    return f"{place or 'The body'}: {message}."


async def _raised(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = CODES.get(error.status_code, "error")
    return Refusal(
        error.status_code, code, f"{error.detail}.", headers=dict(error.headers or {})
    ).response()


async def _failed(_request: Request, _error: Exception) -> Response:
    return Refusal(500, "internal", "Something failed here; the log tells what.").response()
