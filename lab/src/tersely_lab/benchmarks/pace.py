"""Pace: tokens over time, by the clock on the wall and by the processor's.

On one thread the processor's clock is the fairer one: it stands still while something
else has the core. Over several threads it adds them up, so there the wall's counts.
"""

import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Pace:
    """How long some tokens took."""

    tokens: int
    seconds: float
    processor_seconds: float | None  # None where a process's cannot be told

    @property
    def tokens_per_second(self) -> float:
        """By the clock on the wall."""
        return self.tokens / max(self.seconds, 1e-9)

    @property
    def tokens_per_processor_second(self) -> float | None:
        """By the processor's."""
        if self.processor_seconds is None:
            return None
        return self.tokens / max(self.processor_seconds, 1e-9)


def clock_for(threads: int) -> Clock:
    """The clock that a figure on so many threads is taken by."""
    return time.process_time if threads == 1 else time.perf_counter


def timed(work: Callable[[], int]) -> Pace:
    """Do the work, which returns how many tokens it was."""
    wall, processor = time.perf_counter(), time.process_time()
    tokens = work()
    return Pace(tokens, time.perf_counter() - wall, time.process_time() - processor)


def summarise(paces: Sequence[Pace]) -> dict[str, Any]:
    """Return the median pace of some rounds, and the rounds themselves."""
    by_processor = [pace.tokens_per_processor_second for pace in paces]
    known = [rate for rate in by_processor if rate is not None]
    return {
        "tokens_per_second": statistics.median(pace.tokens_per_second for pace in paces),
        "tokens_per_processor_second": statistics.median(known) if known else None,
        "rounds_tokens_per_second": [round(pace.tokens_per_second, 1) for pace in paces],
        "rounds_tokens_per_processor_second": [rate and round(rate, 1) for rate in by_processor],
    }


def processor_seconds_of(process: int) -> float | None:
    """Processor time that another process has used so far; None where nothing tells."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    user, system = int(fields[11]), int(fields[12])
    return (user + system) / os.sysconf("SC_CLK_TCK")
