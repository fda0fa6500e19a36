from tersely_lab.benchmarks.latency.benchmark import MODEL, OPENNMT
from tersely_lab.benchmarks.latency.tables import render

TIMES = {"p50": 8.0, "p95": 12.0, "p99": 20.0}
ROW = {
    "processor_ms": TIMES,
    "clock_ms": {"p50": 9.0, "p95": 13.0, "p99": 21.0},
    "parameters": 6_300_000,
    "multiply_adds_a_row": 1_200_000,
    "peak_mib": 110.0,
    "tokens": 9.3,
}
RESULTS = {
    "machine": {"processor": "Z80", "cores": 2, "load_average": 0.4, "python": "3.11.7"},
    "asked": {"sets": 300, "keywords": 3.5, "tokens": 9.3},
    "rounds": 3,
    "contestants": {MODEL: ROW, OPENNMT: {**ROW, "processor_ms": dict.fromkeys(TIMES, 60.0)}},
    "batch": {"batch": 32, "answers": 300, "processor_seconds": 1.5, "share_of_rate": 0.31},
    "cold_start": {
        "seconds": {"tersely": 0.5, "numpy": 0.1, "ratio": 5.0},
        "processor_seconds": {"tersely": 0.4, "numpy": 0.1, "ratio": 4.0},
        "peak_mib": 90.0,
    },
    "install": {"packages": ["numpy", "tqdm"], "wheels_mb": 31.2, "own_mb": 0.6},
    "targets": [
        {"name": "speed", "measured": 7.5, "wanted": "≥ 4", "reached": True},
        {"name": "share", "measured": 0.31, "wanted": "≥ 0.6", "reached": False},
    ],
}


def test_every_result_is_in_the_tables() -> None:
    text = render(RESULTS)
    assert "| the model | 8.0 | 12.0 | 20.0 | 9.0 | 13.0 | 21.0 | 1.0 |" in text
    assert f"| {OPENNMT} | 60.0 | 60.0 | 60.0 | 9.0 | 13.0 | 21.0 | 7.5 |" in text
    assert "| the model | 6.3 | 1.20 | 110 | 9.3 |" in text
    assert "5.00 ms per query" in text
    assert "31% of that" in text
    assert "| processor | 400 | 100 | 4.0 |" in text
    assert "Peak memory: 90 MiB resident" in text
    assert "31.2 MB of wheels (numpy, tqdm; 0.6 MB of our own)" in text


def test_missed_targets_stand_out() -> None:
    assert "- speed: 7.50; target ≥ 4: reached" in render(RESULTS)
    assert "- share: 0.31; target ≥ 0.6: NOT REACHED" in render(RESULTS)


def test_an_unknown_install_size_is_stated() -> None:
    assert "was not measured" in render({**RESULTS, "install": None})
    missing = {"packages": ["numpy"], "wheels_mb": None, "own_mb": 0.6}
    assert "could not be downloaded" in render({**RESULTS, "install": missing})
