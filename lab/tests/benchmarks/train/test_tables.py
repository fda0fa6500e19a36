from copy import deepcopy
from typing import Any

from tersely_lab.benchmarks.train.benchmark import ratios
from tersely_lab.benchmarks.train.tables import render
from tersely_lab.benchmarks.train.variants import PARTS

NAME = "decoder, full softmax"
RESULTS = {
    "machine": {
        "processor": "Abacus",
        "cores": 2,
        "threads": 1,
        "load_average": 0.5,
        "python": "3.11",
        "torch": "2.13",
    },
    "corpus": {
        "sentences": 20_000,
        "tokens": 200_000,
        "vocabulary": 10_000,
        "units": 300,
        "batch": 128,
    },
    "rounds": 3,
    "steps_a_round": 10,
    "judged_by": "processor",
    "peak_gflops": {"square": 160.0},
    "variants": {
        NAME: {
            "tokens_per_second": 1_500.0,
            "tokens_per_processor_second": 3_000.0,
            "gflop_a_step": {"softmax": 20.0, "encoder": 0.0},
            "gflops": 80.0,
            "share_of_peak": 0.5,
            "seconds_by_part": dict.fromkeys(PARTS, 0.01),
        }
    },
    "peer": {"tokens_per_second": 1_000.0, "tokens_per_processor_second": 2_000.0},
    "memory": {
        "sentences": 500_000,
        "steps": 20,
        "peak_mib": 900.0,
        "target_mib": 2048,
        "reached": True,
    },
    "growth": {
        "corpora": [
            {
                "sentences": 20_000,
                "milliseconds_a_step": 100.0,
                "milliseconds_a_batch": 0.1,
                "milliseconds_a_shuffle": 1.0,
            }
        ],
        "ratio": 1.2,
        "target": 1.1,
        "reached": False,
    },
}


def rendered(**changes: Any) -> str:
    results = {**deepcopy(RESULTS), **changes}
    return render({**results, "ratios": ratios(results)})


def test_missed_targets_are_shown() -> None:
    text = rendered()
    assert f"{NAME}: 1.50 × the peer; target ≥ 2: NOT REACHED" in text
    assert "takes 1.20 × one on the small; target ≤ 1.1: NOT REACHED" in text
    assert "900 MiB at its peak; target < 2,048: reached" in text


def test_throughput_is_compared_with_the_peer_by_either_clock() -> None:
    text = rendered()
    assert f"| {NAME} | 3,000 | 1,500 | 1.50 | 1.50 |" in text
    assert "| OpenNMT-py 3.5.1 | 2,000 | 1,000 | 1 | 1 |" in text
    assert f"| {NAME} | 20.0 | 80 | 50% |" in text
    assert "| a step | 100.0 |" in text


def test_omitted_measurements_are_stated() -> None:
    text = rendered(peer=None, memory=None)
    assert "was not run (--no-peer)" in text
    assert "not judged without the peer" in text
    assert "Memory was not measured" in text
