"""Time, memory and throughput of this machine and of processes on it.

On one thread, processor time is fairer than wall-clock time: it does not advance while another
process has the core. Over several threads it adds up, so there wall-clock time counts.
"""

import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Clock = Callable[[], float]
Log = Callable[[str], None]
"""Receives a line of progress."""
Product = tuple[int, int, int]
"""(m, k, n) of a matrix product of (m × k) and (k × n)."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


def describe_machine() -> dict[str, Any]:
    """Return the processor, its cores and load, and the version of Python."""
    return {
        "processor": processor_name(),
        "cores": os.cpu_count(),
        "load_average": os.getloadavg()[0],
        "python": platform.python_version(),
    }


def processor_name() -> str:
    """Return the processor's name, or the machine type where the system has no name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def clock_for(threads: int) -> Clock:
    """Return the clock for figures on so many threads."""
    return time.process_time if threads == 1 else time.perf_counter


def process_cpu_seconds(pid: int) -> float | None:
    """Return the processor time a running process has used; None without /proc."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    user, system = int(fields[11]), int(fields[12])
    return (user + system) / os.sysconf("SC_CLK_TCK")


def percentile(ordered: Sequence[float], percent: float) -> float:
    """Return the percentile by nearest rank: one of the values, which are sorted."""
    return ordered[max(0, math.ceil(percent * len(ordered) / 100) - 1)]


def matmul_rate(product: Product, *, clock: Clock, repeats: int = 7) -> float:
    """Return the floating-point operations per second of one product, the best of some repeats."""
    import torch

    m, k, n = product
    left, right, out = torch.rand(m, k), torch.rand(k, n), torch.empty(m, n)
    operations = 2 * m * k * n
    calls = min(100, max(1, round(2e9 / operations)))
    best = float("inf")
    torch.mm(left, right, out=out)
    for _ in range(repeats):
        start = clock()
        for _ in range(calls):
            torch.mm(left, right, out=out)
        best = min(best, (clock() - start) / calls)
    return operations / max(best, 1e-9)


def run_measured(
    command: Sequence[str], environment: Mapping[str, str], *, cwd: Path | None = None
) -> tuple[str, Any, int]:
    """Run a command; return its output, its resource usage (`getrusage`) and its exit code.

    The calling process should be small: a child's peak memory is never below its parent's size.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        process = subprocess.Popen(
            list(command), env=environment, cwd=cwd, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return output.read(), usage, process.returncode


def peak_mib(usage: Any) -> float:
    """Return the peak resident size of a process that has ended."""
    unit = 1 if sys.platform == "darwin" else 1024  # ru_maxrss: bytes on macOS, KiB on Linux
    return float(usage.ru_maxrss * unit / 2**20)


@dataclass(frozen=True, slots=True)
class Throughput:
    """Tokens, and the time they took."""

    tokens: int
    seconds: float
    processor_seconds: float | None  # None where the system does not report it

    @property
    def tokens_per_second(self) -> float:
        """Return the rate by wall-clock time."""
        return self.tokens / max(self.seconds, 1e-9)

    @property
    def tokens_per_processor_second(self) -> float | None:
        """Return the rate by processor time."""
        if self.processor_seconds is None:
            return None
        return self.tokens / max(self.processor_seconds, 1e-9)


def measure_throughput(work: Callable[[], int]) -> Throughput:
    """Time `work`, which returns the number of tokens it processed."""
    wall, processor = time.perf_counter(), time.process_time()
    tokens = work()
    return Throughput(tokens, time.perf_counter() - wall, time.process_time() - processor)


def summarise_rounds(rounds: Sequence[Throughput]) -> dict[str, Any]:
    """Return the median throughput, and the throughput of each round."""
    by_processor = [throughput.tokens_per_processor_second for throughput in rounds]
    known = [rate for rate in by_processor if rate is not None]
    by_clock = [throughput.tokens_per_second for throughput in rounds]
    return {
        "tokens_per_second": statistics.median(by_clock),
        "tokens_per_processor_second": statistics.median(known) if known else None,
        "rounds_tokens_per_second": [round(rate, 1) for rate in by_clock],
        "rounds_tokens_per_processor_second": [rate and round(rate, 1) for rate in by_processor],
    }
