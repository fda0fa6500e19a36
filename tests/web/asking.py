"""Asking an ASGI app: what a test of a guard needs, without a server."""

from collections.abc import Mapping
from typing import Any

import httpx2 as httpx
from starlette.types import ASGIApp, Receive, Scope, Send

HOME = "http://127.0.0.1:8765"


def client(app: ASGIApp, *, peer: str = "127.0.0.1", home: str = HOME) -> httpx.AsyncClient:
    """A client of an app, whose connections come from `peer`."""
    transport = httpx.ASGITransport(app=app, client=(peer, 50_000), raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url=home)


async def ask(app: ASGIApp, method: str, path: str, **given: Any) -> httpx.Response:
    """Send one request."""
    peer = given.pop("peer", "127.0.0.1")
    async with client(app, peer=peer) as asking:
        return await asking.request(method, path, **given)


class Echo:
    """An app that answers with the body it read, and keeps what it saw."""

    def __init__(self, headers: Mapping[str, str] | None = None) -> None:
        self.headers = dict(headers or {})
        self.bodies: list[bytes] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        self.bodies.append(body)
        headers = [(name.encode(), value.encode()) for name, value in self.headers.items()]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def problem(response: httpx.Response) -> str:
    """The code of an error; fails if the answer is not in the one shape."""
    error = response.json()["error"]
    assert set(error) == {"code", "message"}
    assert error["message"].endswith(".")
    return str(error["code"])
