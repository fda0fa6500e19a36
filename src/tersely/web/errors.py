"""API errors: every error response has one JSON shape and reveals no internals.

    {"error": {"code": "too_large", "message": "…"}}

Routes and middleware raise `ApiError`; errors of the framework are converted to it.
"""

from collections.abc import Collection, Mapping
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
_SOURCES = frozenset({"body", "query"})
"""First parts of a validation error's location; they are not fields that a client sent."""


class ApiError(Exception):
    """An error response: its status, a code for programs and a message for people."""

    def __init__(
        self, status: int, code: str, message: str, *, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.headers = dict(headers or {})

    def response(self) -> JSONResponse:
        """Return the response to send."""
        content = {"error": {"code": self.code, "message": self.message}}
        return JSONResponse(content, status_code=self.status, headers=self.headers)


class ErrorDetail(BaseModel):
    """A code for programs and a sentence for people."""

    code: str
    message: str


class ErrorResponse(BaseModel):
    """The body of every error response."""

    error: ErrorDetail


def error_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI entries of the errors a route may respond with."""
    return {status: {"model": ErrorResponse} for status in statuses}


def install_error_handlers(app: FastAPI, *, union_tags: Collection[str] = ()) -> None:
    """Respond to every error of an app in the one shape.

    `union_tags` are the tags of the app's discriminated unions: they are parts of a validation
    error's location, but not fields that a client sent.
    """
    not_fields = _SOURCES.union(union_tags)

    async def handle_validation_error(_request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        messages = [_describe(problem, not_fields) for problem in error.errors()]
        return ApiError(422, CODES[422], "; ".join(dict.fromkeys(messages))[:500]).response()

    app.add_exception_handler(ApiError, _handle_api_error)
    app.add_exception_handler(RequestValidationError, handle_validation_error)
    app.add_exception_handler(HTTPException, _handle_http_exception)
    app.add_exception_handler(Exception, _handle_unexpected_error)


async def _handle_api_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)
    return error.response()


def _describe(problem: Mapping[str, Any], not_fields: Collection[str]) -> str:
    """Name the field and the rule; do not repeat the value, which may be private."""
    if problem["type"] == "json_invalid":
        return "The body is not valid JSON."
    field = ".".join(str(part) for part in problem["loc"] if part not in not_fields)
    message = str(problem["msg"]).removeprefix("Value error, ").rstrip(".")
    return f"{field or 'The body'}: {message}."


async def _handle_http_exception(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = CODES.get(error.status_code, "error")
    headers = dict(error.headers or {})
    return ApiError(error.status_code, code, f"{error.detail}.", headers=headers).response()


async def _handle_unexpected_error(_request: Request, _error: Exception) -> Response:
    message = "The service failed; its log has the details."
    return ApiError(500, "internal", message).response()
