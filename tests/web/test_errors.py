import asyncio
from typing import Annotated

import pytest
from fastapi import FastAPI
from pydantic import BaseModel, Discriminator, Field, Tag

from tersely.web.errors import ApiError, error_responses, install_error_handlers
from tests.web.asgi import error_code, request


class Body(BaseModel):
    number: int = Field(le=10)


@pytest.fixture
def app() -> FastAPI:
    app = FastAPI()
    install_error_handlers(app)

    @app.post("/number", responses=error_responses(422))
    def number(body: Body) -> int:
        return body.number

    @app.get("/overloaded")
    def overloaded() -> None:
        raise ApiError(503, "overloaded", "Come back.", headers={"Retry-After": "7"})

    @app.get("/broken")
    def broken() -> None:
        raise ValueError("what a person typed")

    return app


def test_an_api_error_is_sent_with_its_headers(app: FastAPI) -> None:
    response = asyncio.run(request(app, "GET", "/overloaded"))
    assert (response.status_code, error_code(response)) == (503, "overloaded")
    assert response.headers["retry-after"] == "7"


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
    headers = {"Content-Type": "application/json"}
    response = asyncio.run(request(app, method, path, content=body, headers=headers))
    assert (response.status_code, error_code(response)) == (status, code)


def test_a_validation_error_names_the_field_but_not_its_value(app: FastAPI) -> None:
    response = asyncio.run(request(app, "POST", "/number", json={"number": "a secret"}))
    message = response.json()["error"]["message"]
    assert message.startswith("number: ")
    assert "secret" not in message


def test_a_validation_error_does_not_name_the_tag_of_a_union() -> None:
    app = FastAPI()
    install_error_handlers(app, union_tags=["tagged"])

    @app.post("/number")
    def number(
        body: Annotated[Annotated[Body, Tag("tagged")], Discriminator(lambda _: "tagged")],
    ) -> int:
        return body.number

    response = asyncio.run(request(app, "POST", "/number", json={"number": 11}))
    assert response.json()["error"]["message"].startswith("number: ")


def test_an_unexpected_error_reveals_no_internals(app: FastAPI) -> None:
    assert "typed" not in asyncio.run(request(app, "GET", "/broken")).text


def test_errors_are_in_the_openapi_schema(app: FastAPI) -> None:
    response = app.openapi()["paths"]["/number"]["post"]["responses"]["422"]
    assert response["content"]["application/json"]["schema"]["$ref"].endswith("/ErrorResponse")
