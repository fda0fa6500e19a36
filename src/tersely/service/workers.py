"""Workers: several processes that serve at one socket, and one that watches over them.

Each has its own model, queue, cache and rates; the system hands out connections. One that
ends while it should serve is replaced, unless it never got to serve.
"""

import multiprocessing
import os
import signal
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType
from typing import Never

from tersely.errors import TerselyError
from tersely.service.catalogue import Catalogue
from tersely.service.metrics import FOLDER_VARIABLE
from tersely.service.running import MAX_CLOSING_SECONDS, serve
from tersely.service.settings import ServiceSettings

MIN_LIFE_SECONDS = 5.0
"""A worker that ends earlier could not start; another would not either."""


def serve_with_workers(settings: ServiceSettings, listening: socket.socket) -> None:
    """Serve with several processes until told to stop."""
    Catalogue(settings.model, settings.models)  # what is wrong with it is told once, and here
    with _shared_metrics():
        workers = [_start(settings, listening) for _ in range(settings.workers)]
        try:
            with suppress(KeyboardInterrupt):
                _watch(workers, settings, listening)
        finally:
            _stop(workers)


def _start(settings: ServiceSettings, listening: socket.socket) -> tuple[BaseProcess, float]:
    process = multiprocessing.get_context("spawn").Process(target=_run, args=(settings, listening))
    process.start()
    return process, time.monotonic()


def _run(settings: ServiceSettings, listening: socket.socket) -> None:
    signal.signal(signal.SIGTERM, _interrupt)
    with suppress(KeyboardInterrupt):
        serve(settings, listening)


def _interrupt(_signal: int, _frame: FrameType | None) -> Never:
    raise KeyboardInterrupt


def _watch(
    workers: list[tuple[BaseProcess, float]], settings: ServiceSettings, listening: socket.socket
) -> Never:
    while True:
        wait([process.sentinel for process, _ in workers])
        for place, (process, since) in enumerate(workers):
            if process.is_alive():
                continue
            if time.monotonic() - since < MIN_LIFE_SECONDS:
                raise TerselyError("A worker could not start; what it said above tells why.")
            workers[place] = _start(settings, listening)


def _stop(workers: list[tuple[BaseProcess, float]]) -> None:
    """Ask all to close, and end those that do not."""
    for process, _ in workers:
        process.terminate()
    latest = time.monotonic() + MAX_CLOSING_SECONDS + 1
    for process, _ in workers:
        process.join(max(0.0, latest - time.monotonic()))
        if process.is_alive():
            process.kill()
            process.join()


@contextmanager
def _shared_metrics() -> Iterator[None]:
    """A folder for all workers' counts; they find it in their environment."""

    with tempfile.TemporaryDirectory(prefix="tersely-metrics-") as folder:
        os.environ[FOLDER_VARIABLE] = str(Path(folder))
        try:
            yield
        finally:
            del os.environ[FOLDER_VARIABLE]
