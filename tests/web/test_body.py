import asyncio
from collections.abc import AsyncIterator

import pytest

from tersely.web.body import MAX_BYTES, BodyLimit
from tests.web.asking import Echo, ask, problem


async def in_pieces(size: int) -> AsyncIterator[bytes]:
    """A body without Content-Length."""
    while size > 0:
        yield b"x" * min(size, 1000)
        size -= 1000


@pytest.mark.promise(11)
@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize("size", [MAX_BYTES + 1, 100_000, 3_000_000])
def test_a_body_that_is_too_large_is_refused(announced: bool, size: int) -> None:
    app = Echo()
    content = b"x" * size if announced else in_pieces(size)
    answer = asyncio.run(ask(BodyLimit(app), "POST", "/", content=content))
    assert ("content-length" in answer.request.headers) == announced
    assert answer.status_code == 413
    assert problem(answer) == "too_large"
    assert app.bodies == []


@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize("size", [0, 1, MAX_BYTES])
def test_a_body_within_the_limit_arrives_whole(announced: bool, size: int) -> None:
    content = b"x" * size if announced else in_pieces(size)
    answer = asyncio.run(ask(BodyLimit(Echo()), "POST", "/", content=content))
    assert answer.content == b"x" * size


@pytest.mark.promise(11)
def test_a_length_that_lies_helps_nobody() -> None:
    headers = {"Content-Length": "3"}
    answer = asyncio.run(
        ask(BodyLimit(Echo()), "POST", "/", content=in_pieces(9000), headers=headers)
    )
    assert answer.status_code == 413


@pytest.mark.promise(13)
def test_a_body_that_never_ends_is_given_up() -> None:
    async def endless() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.Event().wait()

    app = BodyLimit(Echo(), max_seconds=0.05)
    answer = asyncio.run(ask(app, "POST", "/", content=endless()))
    assert answer.status_code == 408
    assert problem(answer) == "too_slow"


def test_a_client_that_leaves_while_sending_gets_nothing() -> None:
    app, sent = Echo(), []

    async def run() -> None:
        messages = iter(
            [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]
        )

        async def receive() -> dict:
            return next(messages)

        async def send(message: dict) -> None:
            sent.append(message)

        await BodyLimit(app)({"type": "http", "headers": []}, receive, send)

    asyncio.run(run())
    assert app.bodies == []
    assert sent == []
