import asyncio

import pytest
from fastapi import FastAPI
from pydantic import BaseModel, Field

from tersely.web.errors import Refusal, documented, install_error_handlers
from tests.web.asking import ask, problem


class Body(BaseModel):
    number: int = Field(le=10)


@pytest.fixture
def app() -> FastAPI:
    found = FastAPI()
    install_error_handlers(found)

    @found.post("/number", responses=documented(422))
    def number(body: Body) -> int:
        return body.number

    @found.get("/refused")
    def refused() -> None:
        raise Refusal(503, "overloaded", "Come back.", headers={"Retry-After": "7"})

    @found.get("/broken")
    def broken() -> None:
        raise ValueError("what a person typed")

    return found


def test_a_refusal_is_told_with_its_headers(app: FastAPI) -> None:
    answer = asyncio.run(ask(app, "GET", "/refused"))
    assert (answer.status_code, problem(answer)) == (503, "overloaded")
    assert answer.headers["retry-after"] == "7"


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/nowhere", None, 404, "not_found"),
        ("DELETE", "/number", None, 405, "method_not_allowed"),
        ("POST", "/number", b'{"number": 11}', 422, "invalid"),
        ("POST", "/number", b"{", 422, "invalid"),
        ("POST", "/number", b"[" * 5000, 400, "bad_request"),
        ("GET", "/broken", None, 500, "internal"),
    ],
)
def test_every_error_has_the_one_shape(
    app: FastAPI, method: str, path: str, body: bytes | None, status: int, code: str
) -> None:
    answer = asyncio.run(
        ask(app, method, path, content=body, headers={"Content-Type": "application/json"})
    )
    assert (answer.status_code, problem(answer)) == (status, code)


def test_what_is_wrong_is_said_by_field_and_without_what_was_in_it(app: FastAPI) -> None:
    answer = asyncio.run(ask(app, "POST", "/number", json={"number": "a secret"}))
    message = answer.json()["error"]["message"]
    assert message.startswith("number: ")
    assert "secret" not in message


def test_a_failure_tells_nothing_of_the_inside(app: FastAPI) -> None:
    assert "typed" not in asyncio.run(ask(app, "GET", "/broken")).text


def test_errors_stand_in_the_schema(app: FastAPI) -> None:
    answer = app.openapi()["paths"]["/number"]["post"]["responses"]["422"]
    assert answer["content"]["application/json"]["schema"]["$ref"].endswith("/ErrorAnswer")
