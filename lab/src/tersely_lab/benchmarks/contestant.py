"""A contestant: a process of its own that answers a task on one thread and tells how long it took.

All contestants are measured the same way: the outcome is the last line they print, the
memory the greatest resident size the system saw. The process that starts them stays small,
since a child's peak is never below its parent's size.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from tersely.errors import TerselyError, UsageError

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


def run_contestant(command: Sequence[str], *, name: str, is_peer: bool) -> dict[str, Any]:
    """Run it to its end; return its outcome with `peak_mib`."""
    environment = {**os.environ, **ONE_THREAD}
    if is_peer:  # it lives in a venv of its own
        environment.pop("PYTHONPATH", None)
    printed, usage, code = run_measured(command, environment)
    lines = printed.strip().splitlines() or ["no output"]
    try:
        found = json.loads(lines[-1])
    except ValueError as error:
        raise TerselyError(
            f"{name} failed ({lines[-1][:200]}). "
            + ("Remove its venv to have it installed anew, or give --no-peer." if is_peer else "")
        ) from error
    if "error" in found or code != 0:
        raise UsageError(found.get("error", f"{name} failed ({lines[-1][:200]})."))
    return {**found, "peak_mib": peak_mib(usage)}


def run_measured(command: Sequence[str], environment: Mapping[str, str]) -> tuple[str, Any, int]:
    """Run a command; return what it printed, what it used (`getrusage`), and its exit code."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        process = subprocess.Popen(
            list(command), env=environment, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
        log.seek(0)
        return log.read(), usage, process.returncode


def peak_mib(usage: Any) -> float:
    """The greatest resident size of a process that has ended."""
    unit = 1 if sys.platform == "darwin" else 1024  # ru_maxrss is in bytes there, in KiB here
    return float(usage.ru_maxrss * unit / 2**20)
