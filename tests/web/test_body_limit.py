import asyncio
from collections.abc import AsyncIterator

import pytest
from starlette.types import Message

from tersely.web.body_limit import MAX_BODY_BYTES, BodyLimitMiddleware
from tests.web.asgi import EchoApp, error_code, request


async def chunked(size: int) -> AsyncIterator[bytes]:
    """A body without Content-Length."""
    while size > 0:
        yield b"x" * min(size, 1000)
        size -= 1000


@pytest.mark.promise(11)
@pytest.mark.parametrize("has_length", [True, False])
@pytest.mark.parametrize("size", [MAX_BODY_BYTES + 1, 100_000, 3_000_000])
def test_a_body_that_is_too_large_is_refused(has_length: bool, size: int) -> None:
    app = EchoApp()
    content = b"x" * size if has_length else chunked(size)
    response = asyncio.run(request(BodyLimitMiddleware(app), "POST", "/", content=content))
    assert ("content-length" in response.request.headers) == has_length
    assert response.status_code == 413
    assert error_code(response) == "too_large"
    assert app.bodies == []


@pytest.mark.parametrize("has_length", [True, False])
@pytest.mark.parametrize("size", [0, 1, MAX_BODY_BYTES])
def test_a_body_within_the_limit_arrives_complete(has_length: bool, size: int) -> None:
    content = b"x" * size if has_length else chunked(size)
    response = asyncio.run(request(BodyLimitMiddleware(EchoApp()), "POST", "/", content=content))
    assert response.content == b"x" * size


@pytest.mark.promise(11)
def test_a_content_length_that_is_too_small_is_not_trusted() -> None:
    app, headers = BodyLimitMiddleware(EchoApp()), {"Content-Length": "3"}
    response = asyncio.run(request(app, "POST", "/", content=chunked(9000), headers=headers))
    assert response.status_code == 413


@pytest.mark.promise(13)
def test_a_body_that_never_ends_is_refused_after_the_time_limit() -> None:
    async def endless() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.Event().wait()

    app = BodyLimitMiddleware(EchoApp(), max_seconds=0.05)
    response = asyncio.run(request(app, "POST", "/", content=endless()))
    assert response.status_code == 408
    assert error_code(response) == "too_slow"


def test_a_client_that_disconnects_while_sending_gets_no_response() -> None:
    app = EchoApp()
    sent: list[Message] = []

    async def run() -> None:
        messages: list[Message] = [
            {"type": "http.request", "body": b"{", "more_body": True},
            {"type": "http.disconnect"},
        ]

        async def receive() -> Message:
            return messages.pop(0)

        async def send(message: Message) -> None:
            sent.append(message)

        await BodyLimitMiddleware(app)({"type": "http", "headers": []}, receive, send)

    asyncio.run(run())
    assert app.bodies == []
    assert sent == []
