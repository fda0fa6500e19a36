import json
import time
from dataclasses import replace
from typing import Any

import pytest
import torch

from lab.tests.benchmarks.train.test_variants import VOCABULARY, small_variant
from tersely.cli.main import main
from tersely.errors import TerselyError
from tersely_lab.benchmarks.train.benchmark import (
    TARGETS,
    TrainBench,
    measure,
    peak_memory,
    ratios,
    step_times,
)
from tersely_lab.benchmarks.train.tables import render
from tersely_lab.benchmarks.train.variants import VARIANTS
from tersely_lab.benchmarks.train.zipf import generate

SMALL = TrainBench(
    threads=1,
    steps=1,
    rounds=2,
    sentences=40,
    many_sentences=80,
    batch=4,
    units=8,
    vocabulary=1_200,
    memory=False,
)


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    threads = torch.get_num_threads()
    messages: list[str] = []
    results = measure(SMALL, log=messages.append)
    torch.set_num_threads(threads)
    assert "round 2 of 2" in messages
    return results


def test_every_variant_is_measured_in_every_round(results: dict[str, Any]) -> None:
    assert results["variants"].keys() == VARIANTS.keys()
    for row in results["variants"].values():
        assert row["tokens_per_second"] > 0
        assert len(row["rounds_tokens_per_processor_second"]) == 2
        assert 0 < row["share_of_peak"] < 1
        assert 0 < row["kept_share"] < 1
        assert row["seconds_by_part"]["optimizer"] > 0
    assert results["judged_by"] == "processor"
    assert [row["sentences"] for row in results["growth"]["corpora"]] == [40, 80]


def test_results_are_json_and_render_as_tables(results: dict[str, Any]) -> None:
    assert json.loads(json.dumps(results))["corpus"]["vocabulary"] == 1_200
    text = render(results)
    assert "was not run (--no-peer)" in text
    assert "whole game, adaptive softmax" in text


def test_without_the_peer_no_target_is_judged(results: dict[str, Any]) -> None:
    assert results["peer"] is None
    assert results["ratios"] == {}


def rates(clock: float, processor: float | None) -> dict[str, float | None]:
    return {"tokens_per_second": clock, "tokens_per_processor_second": processor}


def test_targets_are_judged_by_processor_time_on_one_thread() -> None:
    full, adaptive, *_ = VARIANTS
    measured = {
        "judged_by": "processor",
        "peer": rates(100, 200),
        "variants": {full: rates(150, 400), adaptive: rates(900, 700)},
    }
    compared = ratios(measured)
    assert compared[full] == {
        "by_clock": 1.5,
        "by_processor": 2.0,
        "target": TARGETS[full],
        "reached": True,
    }
    assert compared[adaptive]["reached"] is False


def test_targets_are_judged_by_the_clock_otherwise() -> None:
    full, _, untargeted, _ = VARIANTS
    measured = {
        "judged_by": "clock",
        "peer": rates(100, None),
        "variants": {full: rates(150, 400), untargeted: rates(100, 100)},
    }
    compared = ratios(measured)
    assert compared[full]["reached"] is False
    assert compared[full]["by_processor"] is None
    assert compared[untargeted]["reached"] is None


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--threads", "0"], "--threads 0"),
        (["--steps", "-1"], "--steps -1"),
        (["--peers", "x", "--no-peer"], "exclude each other"),
    ],
)
def test_invalid_options_are_refused(
    options: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "train", *options]) == 2
    assert complaint in capsys.readouterr().err


def test_each_corpus_is_timed_separately() -> None:
    splits = [generate(count, vocabulary=VOCABULARY) for count in (20, 200)]
    variant = small_variant("decoder, adaptive softmax")
    rows = step_times(SMALL, variant, splits, time.process_time)
    assert [row["sentences"] for row in rows] == [20, 200]
    for row in rows:
        assert row["milliseconds_a_step"] > row["milliseconds_a_batch"] > 0


def test_memory_is_that_of_a_training_process() -> None:
    memory = peak_memory(replace(SMALL, vocabulary=60), generate(150, vocabulary=60), steps=1)
    assert (memory["sentences"], memory["steps"]) == (150, 1)
    assert 50 < memory["peak_mib"] < memory["target_mib"] == 2048
    assert memory["reached"]


def test_a_failed_training_is_reported_with_its_error() -> None:
    with pytest.raises(TerselyError, match="fewer than one batch"):
        peak_memory(replace(SMALL, vocabulary=60), generate(20, vocabulary=60), steps=1)
