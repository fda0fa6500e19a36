"""Requests to an ASGI app without a server, and an app that echoes them."""

from collections.abc import Mapping
from typing import Any

import httpx2 as httpx
from starlette.types import ASGIApp, Receive, Scope, Send

BASE_URL = "http://127.0.0.1:8765"


def client_for(
    app: ASGIApp, *, peer: str = "127.0.0.1", base_url: str = BASE_URL
) -> httpx.AsyncClient:
    """Return a client of an app whose connections come from `peer`."""
    transport = httpx.ASGITransport(app=app, client=(peer, 50_000), raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url=base_url)


async def request(
    app: ASGIApp, method: str, path: str, *, peer: str = "127.0.0.1", **arguments: Any
) -> httpx.Response:
    """Send one request; `arguments` are those of httpx."""
    async with client_for(app, peer=peer) as client:
        return await client.request(method, path, **arguments)


class EchoApp:
    """An app that responds with the body of the request and stores it."""

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


def error_code(response: httpx.Response) -> str:
    """Return the code of an error response; fail if it does not have the one shape."""
    error = response.json()["error"]
    assert set(error) == {"code", "message"}
    assert error["message"].endswith(".")
    return str(error["code"])
