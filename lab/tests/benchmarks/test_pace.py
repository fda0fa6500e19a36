import os
import time
from pathlib import Path

import pytest

from tersely_lab.benchmarks.pace import Pace, clock_for, processor_seconds_of, summarise, timed


def test_one_thread_is_timed_by_the_processor_and_several_by_the_clock() -> None:
    assert clock_for(1) is time.process_time
    assert clock_for(2) is time.perf_counter


def test_work_is_timed_by_both_clocks() -> None:
    pace = timed(lambda: sum(range(200_000)) and 7)
    assert pace.tokens == 7
    assert pace.seconds > 0
    assert pace.tokens_per_processor_second > 0


def test_the_median_of_the_rounds_counts() -> None:
    paces = [Pace(100, 1.0, 0.5), Pace(100, 4.0, 0.4), Pace(100, 2.0, 1.0)]
    summary = summarise(paces)
    assert summary["tokens_per_second"] == 50
    assert summary["tokens_per_processor_second"] == 200
    assert summary["rounds_tokens_per_second"] == [100, 25, 50]


def test_unknown_processor_time_is_told_as_unknown() -> None:
    summary = summarise([Pace(100, 1.0, None)])
    assert summary["tokens_per_second"] == 100
    assert summary["tokens_per_processor_second"] is None


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_another_processs_time_is_read_from_the_system() -> None:
    assert processor_seconds_of(os.getpid()) == pytest.approx(time.process_time(), abs=0.5)
    assert processor_seconds_of(2**22 + 1) is None
