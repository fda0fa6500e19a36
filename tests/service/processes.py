"""Services as processes of their own, started by a command."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.service.services import wait_until_ready

ROOT = Path(__file__).parents[2]
MAX_STOP_SECONDS = 120


class ServiceProcess:
    """A running service; its log goes to a file."""

    def __init__(self, command: list[str], folder: Path) -> None:
        self.log = folder / "service.log"
        environment = {**os.environ, "XDG_CONFIG_HOME": str(folder), "OMP_NUM_THREADS": "1"}
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, *command],
                cwd=ROOT,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        match = re.match(r"tersely is at (http://\S+)/ ", line)
        assert match, f"{line}{self.log.read_text()}"
        self.url = match[1]

    def stop(self) -> int:
        """Send SIGTERM, wait for the end and return the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(MAX_STOP_SECONDS)


@contextmanager
def running(command: list[str], folder: Path) -> Iterator[ServiceProcess]:
    """Start a service, wait until it is ready, and kill it in the end if it still runs."""
    service = ServiceProcess(command, folder)
    try:
        wait_until_ready(service.url)
        yield service
    finally:
        if service.process.poll() is None:
            service.process.kill()
            service.process.wait()
