import os
import platform
import time
from pathlib import Path

import pytest

from tersely_lab.benchmarks.measurement import (
    Throughput,
    clock_for,
    measure_throughput,
    percentile,
    process_cpu_seconds,
    processor_name,
    summarise_rounds,
)


def test_one_thread_is_timed_by_the_processor_and_several_by_the_clock() -> None:
    assert clock_for(1) is time.process_time
    assert clock_for(2) is time.perf_counter


def test_work_is_timed_by_both_clocks() -> None:
    throughput = measure_throughput(lambda: sum(range(200_000)) and 7)
    assert throughput.tokens == 7
    assert throughput.seconds > 0
    assert throughput.tokens_per_processor_second is not None
    assert throughput.tokens_per_processor_second > 0


def test_the_summary_is_the_median_of_the_rounds() -> None:
    rounds = [Throughput(100, 1.0, 0.5), Throughput(100, 4.0, 0.4), Throughput(100, 2.0, 1.0)]
    summary = summarise_rounds(rounds)
    assert summary["tokens_per_second"] == 50
    assert summary["tokens_per_processor_second"] == 200
    assert summary["rounds_tokens_per_second"] == [100, 25, 50]


def test_unknown_processor_time_stays_unknown() -> None:
    summary = summarise_rounds([Throughput(100, 1.0, None)])
    assert summary["tokens_per_second"] == 100
    assert summary["tokens_per_processor_second"] is None


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_processor_time_of_a_process_is_read_from_proc() -> None:
    assert process_cpu_seconds(os.getpid()) == pytest.approx(time.process_time(), abs=0.5)
    assert process_cpu_seconds(2**22 + 1) is None


def test_a_processor_has_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert processor_name().strip()

    def refuse(*_: object, **__: object) -> str:
        raise OSError

    monkeypatch.setattr(Path, "read_text", refuse)
    monkeypatch.setattr(platform, "processor", lambda: "Z80")
    assert processor_name() == "Z80"


def test_percentiles_use_the_nearest_rank() -> None:
    ordered = [float(number) for number in range(1, 101)]
    assert [percentile(ordered, percent) for percent in (50, 95, 99, 100)] == [50, 95, 99, 100]
    assert percentile([7.0], 95) == 7.0
