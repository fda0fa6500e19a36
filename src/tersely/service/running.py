"""Running: a socket, a server around the app, and an end that drops nobody.

On SIGTERM or Ctrl-C the server still answers what has arrived, then closes. Several
processes that share the socket are workers.py's business.
"""

import asyncio
import errno
import socket
from contextlib import suppress

import uvicorn

from tersely.errors import UsageError
from tersely.service.app import create_app
from tersely.service.settings import ServiceSettings
from tersely.web.clients import is_address
from tersely.web.logs import logging_config

MAX_CLOSING_SECONDS = 7
LAST_CALL_SECONDS = 0.1
MAX_LAST_CALLS = 20
"""What was sent before the signal is still on its way: it is read until nothing new comes."""
BACKLOG = 2048


class GracefulServer(uvicorn.Server):
    """Reads what is still on its way before it stops listening."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close, after a last call."""
        quiet, seen = 0, -1
        for _ in range(MAX_LAST_CALLS):
            await asyncio.sleep(LAST_CALL_SECONDS)
            arrived = self.server_state.total_requests + len(self.server_state.connections)
            quiet = quiet + 1 if arrived == seen else 0
            seen = arrived
            if quiet == 2:
                break
        await super().shutdown(sockets)


def bind(settings: ServiceSettings) -> socket.socket:
    """Take the port, or say who may have it."""
    host = settings.host.strip("[]")
    family = socket.AF_INET6 if is_address(host) and ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, settings.port))
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise UsageError(_cannot_bind(error, settings)) from error
    listening.set_inheritable(True)
    return listening


def url_of(listening: socket.socket) -> str:
    """Where a browser on this computer finds it."""
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def serve(settings: ServiceSettings, listening: socket.socket) -> None:
    """Serve in this process until told to stop."""
    config = uvicorn.Config(
        create_app(settings),
        log_config=logging_config(settings.log_level),
        log_level=settings.log_level,
        access_log=False,  # the app's own lines tell no paths
        proxy_headers=False,  # who is believed is the app's business
        server_header=False,
        timeout_graceful_shutdown=MAX_CLOSING_SECONDS,
        backlog=BACKLOG,
    )
    # The server raises its signal again once it has closed; by then that says nothing new.
    with suppress(KeyboardInterrupt):
        GracefulServer(config).run(sockets=[listening])


def _cannot_bind(error: OSError, settings: ServiceSettings) -> str:
    where = f"{settings.host}:{settings.port}"
    if error.errno == errno.EADDRINUSE:
        return f"{where}: the port is taken. Try --port 0 for a free one, or stop what has it."
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"{where}: not allowed to bind there. Try a port above 1023."
    return f"{where}: cannot be bound to ({error.strerror})."
