import json

import pytest
import torch

from tersely.cli.main import main
from tersely_lab.benchmarks.train import TARGETS, TrainBench, measure, ratios
from tersely_lab.benchmarks.train_tables import render
from tersely_lab.benchmarks.variant import KINDS

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
def found():
    threads = torch.get_num_threads()
    said: list[str] = []
    results = measure(SMALL, say=said.append)
    torch.set_num_threads(threads)
    assert "round 2 of 2" in said
    return results


def test_every_training_is_measured_in_every_round(found) -> None:
    assert found["variants"].keys() == KINDS.keys()
    for row in found["variants"].values():
        assert row["tokens_per_second"] > 0
        assert len(row["rounds_tokens_per_processor_second"]) == 2
        assert 0 < row["share_of_peak"] < 1
        assert 0 < row["kept_share"] < 1
        assert row["seconds_by_part"]["optimizer"] > 0
    assert found["judged_by"] == "processor"
    assert [row["sentences"] for row in found["growth"]["corpora"]] == [40, 80]


def test_the_figures_are_json_and_print_as_tables(found) -> None:
    assert json.loads(json.dumps(found))["corpus"]["vocabulary"] == 1_200
    text = render(found)
    assert "was not run (--no-peer)" in text
    assert "whole game, adaptive softmax" in text


def test_without_the_peer_no_target_is_judged(found) -> None:
    assert found["peer"] is None
    assert found["ratios"] == {}


def rates(clock: float, processor: float | None) -> dict[str, float | None]:
    return {"tokens_per_second": clock, "tokens_per_processor_second": processor}


def test_targets_are_judged_by_processor_time_on_one_thread() -> None:
    full, adaptive, *_ = KINDS
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
    full, _, untargeted, _ = KINDS
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
def test_options_that_make_no_sense_are_refused(options, complaint, capsys) -> None:
    assert main(["bench", "train", *options]) == 2
    assert complaint in capsys.readouterr().err
