"""The baseline service: the same model behind one plain FastAPI route, and an empty route.

It has no batches, no cache and no limits. Run as `python -m
tersely_lab.benchmarks.serve.baseline MODEL`, it listens on a free port and prints its address.
"""

import socket
import sys
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel


class Query(BaseModel):
    """Keywords to complete."""

    keywords: str
    n: int = 3


def baseline_app(completer: Any) -> FastAPI:
    """Return the app: one route that completes keywords, one that does nothing."""
    app = FastAPI()

    @app.post("/v1/complete")
    def complete(query: Query) -> dict[str, Any]:
        suggestions = completer.complete(query.keywords, query.n)
        return {"suggestions": [{"text": item.text, "score": item.score} for item in suggestions]}

    @app.post("/empty")
    async def empty(query: Query) -> dict[str, Any]:
        return {"suggestions": []}

    @app.get("/readyz")
    async def ready() -> str:
        return "ready"

    return app


def main() -> None:
    """Serve until terminated."""
    import uvicorn

    from tersely.completion.completer import Completer

    app = baseline_app(Completer.load(sys.argv[1]))
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listening:
        print(f"plain is at http://127.0.0.1:{listening.getsockname()[1]}/ ", flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listening])


if __name__ == "__main__":
    main()
