"""Server: binds the port and serves the app with one process or several workers.

On SIGTERM or Ctrl-C a server answers the requests that have arrived, then closes.

Each worker has its own model, queue, cache and rate limits; all accept connections from one
socket. A worker that ends unexpectedly is replaced, unless it ended before it could serve.
"""

import asyncio
import errno
import multiprocessing
import os
import signal
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Never

import uvicorn

from tersely.errors import TerselyError, UsageError
from tersely.service.app import create_app
from tersely.service.metrics import FOLDER_VARIABLE
from tersely.service.models import ModelRepository
from tersely.service.settings import ServiceSettings
from tersely.web.origins import is_ip_address
from tersely.web.request_log import logging_config

MAX_SHUTDOWN_SECONDS = 7
DRAIN_POLL_SECONDS = 0.1
MAX_DRAIN_POLLS = 20
QUIET_POLLS = 2
BACKLOG = 2048
MIN_WORKER_SECONDS = 5.0
"""A worker that ends earlier could not start, and neither could its replacement."""


class GracefulServer(uvicorn.Server):
    """A server that accepts connections until no more arrive, then shuts down.

    Without this, connections that the system has queued but the server has not yet accepted
    would be reset.
    """

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Wait until no connection has arrived for a moment, then shut down."""
        quiet_polls, arrived_before = 0, -1
        for _ in range(MAX_DRAIN_POLLS):
            await asyncio.sleep(DRAIN_POLL_SECONDS)
            arrived = self.server_state.total_requests + len(self.server_state.connections)
            quiet_polls = quiet_polls + 1 if arrived == arrived_before else 0
            arrived_before = arrived
            if quiet_polls == QUIET_POLLS:
                break
        await super().shutdown(sockets)


def bind(settings: ServiceSettings) -> socket.socket:
    """Bind the port and listen; UsageError if that is impossible."""
    host = settings.host.strip("[]")
    family = socket.AF_INET6 if is_ip_address(host) and ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, settings.port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise UsageError(_bind_error(error, settings)) from error
    listener.set_inheritable(True)
    return listener


def _bind_error(error: OSError, settings: ServiceSettings) -> str:
    address = f"{settings.host}:{settings.port}"
    if error.errno == errno.EADDRINUSE:
        return f"{address}: the port is taken. Try --port 0 for a free one, or stop its process."
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"{address}: not allowed to bind there. Try a port above 1023."
    return f"{address}: cannot be bound to ({error.strerror})."


def url_of(listener: socket.socket) -> str:
    """Return the URL that a browser on this computer can open."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def serve(settings: ServiceSettings, listener: socket.socket) -> None:
    """Serve until SIGTERM or Ctrl-C, with as many processes as the settings name."""
    if settings.workers == 1:
        _serve_in_process(settings, listener)
    else:
        _serve_with_workers(settings, listener)


def _serve_in_process(settings: ServiceSettings, listener: socket.socket) -> None:
    config = uvicorn.Config(
        create_app(settings),
        log_config=logging_config(settings.log_level),
        log_level=settings.log_level,
        access_log=False,  # the request log has no paths
        proxy_headers=False,  # the rate limit decides which proxies to trust
        server_header=False,
        timeout_graceful_shutdown=MAX_SHUTDOWN_SECONDS,
        backlog=BACKLOG,
    )
    # uvicorn raises the signal again after it has shut down.
    with suppress(KeyboardInterrupt):
        GracefulServer(config).run(sockets=[listener])


@dataclass(frozen=True, slots=True)
class _Worker:
    process: BaseProcess
    started: float
    """Time of `time.monotonic`."""


def _serve_with_workers(settings: ServiceSettings, listener: socket.socket) -> None:
    ModelRepository(settings.model, settings.models)  # fail here, not in every worker
    with _shared_metrics_folder():
        workers = [_start_worker(settings, listener) for _ in range(settings.workers)]
        try:
            with suppress(KeyboardInterrupt):
                _replace_dead_workers(workers, settings, listener)
        finally:
            _stop_workers(workers)


def _start_worker(settings: ServiceSettings, listener: socket.socket) -> _Worker:
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_run_worker, args=(settings, listener))
    process.start()
    return _Worker(process, time.monotonic())


def _run_worker(settings: ServiceSettings, listener: socket.socket) -> None:
    signal.signal(signal.SIGTERM, _raise_keyboard_interrupt)
    with suppress(KeyboardInterrupt):
        _serve_in_process(settings, listener)


def _raise_keyboard_interrupt(_signal: int, _frame: FrameType | None) -> Never:
    raise KeyboardInterrupt


def _replace_dead_workers(
    workers: list[_Worker], settings: ServiceSettings, listener: socket.socket
) -> Never:
    while True:
        wait([worker.process.sentinel for worker in workers])
        for index, worker in enumerate(workers):
            if worker.process.is_alive():
                continue
            if time.monotonic() - worker.started < MIN_WORKER_SECONDS:
                raise TerselyError("A worker could not start; the log lines above have the reason.")
            workers[index] = _start_worker(settings, listener)


def _stop_workers(workers: list[_Worker]) -> None:
    """Send SIGTERM to all workers; kill those that do not end in time."""
    for worker in workers:
        worker.process.terminate()
    end = time.monotonic() + MAX_SHUTDOWN_SECONDS + 1
    for worker in workers:
        worker.process.join(max(0.0, end - time.monotonic()))
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()


@contextmanager
def _shared_metrics_folder() -> Iterator[None]:
    """Create a folder for the metrics of all workers, which inherit its environment variable."""
    with tempfile.TemporaryDirectory(prefix="tersely-metrics-") as folder:
        os.environ[FOLDER_VARIABLE] = folder
        try:
            yield
        finally:
            del os.environ[FOLDER_VARIABLE]
