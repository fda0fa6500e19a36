"""The service to measure against: the same model behind one plain route, and an empty one.

What anyone writes first with FastAPI: no batches, no cache, no limits. Run as
`python -m tersely_lab.benchmarks.plain_service MODEL` it takes a free port and tells it.
"""

import socket
import sys
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel


class Question(BaseModel):
    """Keywords to complete."""

    keywords: str
    n: int = 3


def plain_app(completer: Any) -> FastAPI:
    """One route that asks the model, one that does nothing."""
    app = FastAPI()

    @app.post("/v1/complete")
    def complete(question: Question) -> dict[str, Any]:
        found = completer.complete(question.keywords, question.n)
        return {"suggestions": [{"text": one.text, "score": one.score} for one in found]}

    @app.post("/empty")
    async def empty(question: Question) -> dict[str, Any]:
        return {"suggestions": []}

    @app.get("/readyz")
    async def ready() -> str:
        return "ready"

    return app


def main() -> None:
    """Serve until ended."""
    import uvicorn

    from tersely.completion.completer import Completer

    app = plain_app(Completer.load(sys.argv[1]))
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listening:
        print(f"plain is at http://127.0.0.1:{listening.getsockname()[1]}/ ", flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listening])


if __name__ == "__main__":
    main()
