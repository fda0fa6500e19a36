import asyncio

import pytest
from starlette.requests import Request

from tersely.web.errors import Refusal
from tersely.web.leaving import unless_gone


def request_of(client: asyncio.Event) -> Request:
    """A request whose client leaves with the event."""

    async def receive() -> dict:
        await client.wait()
        return {"type": "http.disconnect"}

    return Request({"type": "http", "headers": []}, receive)


def test_work_is_done_while_the_client_stays() -> None:
    async def run() -> int:
        async def work() -> int:
            await asyncio.sleep(0)
            return 7

        return await unless_gone(request_of(asyncio.Event()), work())

    assert asyncio.run(run()) == 7


def test_an_error_of_the_work_comes_through() -> None:
    async def run() -> None:
        async def work() -> None:
            raise KeyError("x")

        await unless_gone(request_of(asyncio.Event()), work())

    with pytest.raises(KeyError):
        asyncio.run(run())


def test_work_for_a_client_that_left_is_cancelled() -> None:
    async def run() -> bool:
        left, cancelled = asyncio.Event(), asyncio.Event()

        async def work() -> None:
            left.set()
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.set()

        with pytest.raises(Refusal, match="closed the connection"):
            await unless_gone(request_of(left), work())
        await asyncio.wait_for(cancelled.wait(), 1)
        return cancelled.is_set()

    assert asyncio.run(run())
