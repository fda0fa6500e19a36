"""Services to test: in this process, at a real socket, and with models that misbehave."""

import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import uvicorn
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from tersely.completion.completer import Keywords, Suggestion
from tersely.service.app import create_app
from tersely.service.catalogue import Listed
from tersely.service.hurrying import HurriedWishes
from tersely.service.running import GracefulServer
from tersely.service.settings import ServiceSettings
from tersely.web.errors import Refusal

HOME = "http://127.0.0.1:8765"
FOREVER = 3600.0


def settings_for(folder: Path, **given: Any) -> ServiceSettings:
    """Settings of a test: no rate, time enough, and nothing outside its folder."""
    patient = {"memory": folder / "memory.db", "rate": 0, "deadline": 60.0}
    return ServiceSettings(**{**patient, **given})


@contextmanager
def client_of(app: ASGIApp, home: str = HOME) -> Iterator[TestClient]:
    """A client of a running app, without a server."""
    with TestClient(
        app, base_url=home, client=("127.0.0.1", 50_000), raise_server_exceptions=False
    ) as client:
        yield client


@contextmanager
def served(app: ASGIApp) -> Iterator[str]:
    """Serve an app at a free port of this computer; yields its address."""
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_config=None, proxy_headers=False, lifespan="on")
    server = GracefulServer(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    wait_for(url)
    try:
        yield url
    finally:
        server.should_exit = True
        thread.join(10)


def wait_for(url: str, seconds: float = 180.0) -> None:
    """Wait until a service is ready."""
    latest = time.monotonic() + seconds
    while True:
        try:
            if httpx.get(f"{url}/readyz").status_code == 200:
                return
        except httpx.TransportError:
            pass
        assert time.monotonic() < latest, f"{url} never became ready"
        time.sleep(0.02)


class FakeCompleter:
    """Says the keywords back, in capitals; each call takes its time, and ends when told to."""

    def __init__(self, models: "FakeModels") -> None:
        self._models = models
        self.memory = None

    def answer(self, texts: Sequence[str], n: int, wishes: HurriedWishes) -> list[list[Suggestion]]:
        self._models.batches.append(list(texts))
        self._models.wishes.append(wishes)
        if "poison" in texts:
            raise ValueError("poison")
        if self._models.gate is not None:
            self._models.gate.wait(FOREVER)
        is_late, end = wishes.clock(), time.monotonic() + self._models.seconds
        while time.monotonic() < end:
            time.sleep(0.005)
            if is_late():
                return [self._models.best_so_far for _ in texts]
        self._models.finished += 1
        return [[Suggestion(text.upper(), 0.5, tuple(text.split()))] * n for text in texts]

    def keywords(self, sentence: str, budget: float | None = None) -> Keywords:
        words = sentence.split()
        return Keywords(words, [True] * len(words), [1.0] * len(words))


class FakeModels:
    """One model, whose calls take `seconds`, and wait for the gate if there is one."""

    default = "fake"

    def __init__(self, *, seconds: float = 0.0, gate: threading.Event | None = None) -> None:
        self.seconds = seconds
        self.gate = gate
        self.batches: list[list[str]] = []
        self.wishes: list[HurriedWishes] = []
        self.best_so_far: list[Suggestion] = []
        self.finished = 0
        self._completer = FakeCompleter(self)

    def check(self, name: str) -> None:
        if name != self.default:
            raise Refusal(404, "unknown_model", "There is no model of that name.")

    def listed(self) -> list[Listed]:
        return [Listed(self.default, "fake", 3, True)]

    def completer(self, name: str) -> Any:
        assert name == self.default
        return self._completer


def fake_app(folder: Path, models: FakeModels | None = None, **given: Any) -> ASGIApp:
    """A service over a fake model."""
    return create_app(settings_for(folder, **given), models=models or FakeModels())
