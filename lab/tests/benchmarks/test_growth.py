import time
from pathlib import Path

import pytest

from lab.tests.benchmarks.test_variant import VOCABULARY, small_variant
from tersely.errors import TerselyError
from tersely_lab.benchmarks.growth import measure_growth, peak_memory
from tersely_lab.benchmarks.zipf import generate


def test_each_corpus_is_timed_by_itself() -> None:
    splits = [generate(count, vocabulary=VOCABULARY) for count in (20, 200)]
    rows = measure_growth(
        small_variant("decoder, adaptive softmax"),
        splits,
        batch=4,
        steps=1,
        rounds=2,
        clock=time.process_time,
    )
    assert [row["sentences"] for row in rows] == [20, 200]
    for row in rows:
        assert row["milliseconds_a_step"] > row["milliseconds_a_batch"] > 0


def test_memory_is_that_of_a_training_of_its_own(tmp_path: Path) -> None:
    split = generate(150, vocabulary=60)
    found = peak_memory(split, tmp_path, vocabulary=60, steps=1, threads=1)
    assert found["sentences"] == 150
    assert 50 < found["peak_mib"] < 2048
    assert (tmp_path / "run" / "result.json").exists()


def test_a_training_that_fails_is_said_plainly(tmp_path: Path) -> None:
    split = generate(20, vocabulary=60)
    with pytest.raises(TerselyError, match="fewer than one batch"):
        peak_memory(split, tmp_path, vocabulary=60, steps=1, threads=1)
