"""Services as processes of their own, as a person starts them."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.service.serving import wait_for

ROOT = Path(__file__).parents[2]


class Running:
    """A service that runs; what it logs goes to a file."""

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
        found = re.match(r"tersely is at (http://\S+)/ ", line)
        assert found, f"{line}{self.log.read_text()}"
        self.url = found[1]

    def stop(self) -> int:
        """Ask it to stop, and wait."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(120)


@contextmanager
def running(command: list[str], folder: Path) -> Iterator[Running]:
    """Start a service, wait until it is ready, and end it at last."""
    service = Running(command, folder)
    try:
        wait_for(service.url)
        yield service
    finally:
        if service.process.poll() is None:
            service.process.kill()
            service.process.wait()
