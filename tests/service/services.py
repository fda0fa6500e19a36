"""Services for tests: in this process or at a real socket, with a fake model."""

import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import uvicorn
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from tersely.completion.options import CompletionOptions
from tersely.completion.query import Query
from tersely.completion.suggestion import Keywords, Suggestion
from tersely.service.app import create_app
from tersely.service.models import ModelInfo
from tersely.service.server import GracefulServer
from tersely.service.settings import ServiceSettings
from tersely.web.errors import ApiError
from tests.web.asgi import BASE_URL

GATE_SECONDS = 3600.0


def settings_for(folder: Path, **settings: Any) -> ServiceSettings:
    """Return settings without rate limit, with a long deadline, and no files outside a folder."""
    defaults = {"memory": folder / "memory.db", "rate": 0, "deadline": 60.0}
    return ServiceSettings(**{**defaults, **settings})


@contextmanager
def client_for(app: ASGIApp) -> Iterator[TestClient]:
    """Run an app without a server and yield a client of it."""
    peer = ("127.0.0.1", 50_000)
    with TestClient(app, BASE_URL, client=peer, raise_server_exceptions=False) as client:
        yield client


@contextmanager
def served(app: ASGIApp) -> Iterator[str]:
    """Serve an app at a free port and yield its URL."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_config=None, proxy_headers=False, lifespan="on")
    server = GracefulServer(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    wait_until_ready(url)
    try:
        yield url
    finally:
        server.should_exit = True
        thread.join(10)


def wait_until_ready(url: str, seconds: float = 180.0) -> None:
    """Wait until a service is ready."""

    def is_ready() -> bool:
        try:
            return httpx.get(f"{url}/readyz").status_code == 200
        except httpx.TransportError:
            return False

    wait_until(is_ready, seconds)


def wait_until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until a condition is true; fail after some seconds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the condition was never true"
        time.sleep(0.005)


class FakeCompleter:
    """Suggest the keywords in capitals; each call takes `models.seconds`, or to its deadline."""

    def __init__(self, models: "FakeModels") -> None:
        self._models = models
        self.memory = None

    def complete_with_options(
        self, queries: Sequence[Query], options: CompletionOptions
    ) -> list[list[Suggestion]]:
        texts = [" ".join(query.tokens) for query in queries]
        self._models.batches.append(texts)
        self._models.options.append(options)
        if "poison" in texts:
            raise ValueError("poison")
        if self._models.gate is not None:
            self._models.gate.wait(GATE_SECONDS)
        deadline, end = options.start_deadline(), time.monotonic() + self._models.seconds
        while time.monotonic() < end:
            time.sleep(0.005)
            if deadline.expired():
                return [self._models.best_so_far for _ in texts]
        self._models.finished += 1
        return [[Suggestion(text.upper(), 0.5, tuple(text.split()))] * options.n for text in texts]

    def keywords(self, sentence: str, budget: float | None = None) -> Keywords:
        words = sentence.split()
        return Keywords(words, [True] * len(words), [1.0] * len(words))


class FakeModels:
    """One model, whose calls take `seconds` and wait for the gate, if there is one."""

    default = "fake"

    def __init__(self, *, seconds: float = 0.0, gate: threading.Event | None = None) -> None:
        self.seconds = seconds
        self.gate = gate
        self.batches: list[list[str]] = []
        self.options: list[CompletionOptions] = []
        self.best_so_far: list[Suggestion] = []
        self.finished = 0
        self._completer = FakeCompleter(self)

    def resolve(self, name: str | None) -> str:
        if name not in (None, self.default):
            raise ApiError(404, "unknown_model", "There is no model of that name.")
        return self.default

    def list_models(self) -> list[ModelInfo]:
        return [ModelInfo(self.default, "fake", 3, True)]

    def completer(self, name: str) -> Any:
        assert name == self.default
        return self._completer


def fake_app(folder: Path, models: FakeModels | None = None, **settings: Any) -> ASGIApp:
    """Return a service with a fake model."""
    return create_app(settings_for(folder, **settings), models=models or FakeModels())
