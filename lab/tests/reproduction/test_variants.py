"""Runs are compared by what they were trained with, not by what their files happen to say."""

from typing import Any

import pytest

from tersely.training.config import RunConfig, completed, with_changes
from tersely_lab.reproduction.variants import are_unusual

POINTS = ["epsilon_nats_per_token", "weight_tokens_per_nat", "delta"]


def record(*changes: str, data: str = "reviews") -> dict[str, Any]:
    return {"config": with_changes(RunConfig(), changes).as_dict(), "data": data}


def unusual(*records: dict[str, Any], steps: tuple[int, ...] = ()) -> list[bool]:
    return are_unusual(records, steps or (9000,) * len(records), POINTS, completed)


USUAL = [record(), record("training.seed=2"), record("objective.epsilon_nats_per_token=0.8")]


def test_points_and_seeds_may_differ() -> None:
    rule = record("objective.kind=unif", "objective.delta=0.3")
    assert unusual(*USUAL, rule) == [False] * 4
    assert unusual() == []


@pytest.mark.parametrize(
    "change",
    [
        "model.softmax=adaptive",
        "model.embedding_units=200",
        "training.learning_rate=0.01",
        "training.max_steps=5",
        "training.flat_steps=9",
        "objective.weight_learning_rate=0.5",
        "estimator.samples=2",
    ],
)
def test_other_settings_may_not(change: str) -> None:
    assert unusual(*USUAL, record(change)) == [False, False, False, True]


def test_other_text_is_another_setting() -> None:
    assert unusual(*USUAL, record(data="everyday"))[-1]


def test_settings_that_are_newer_than_a_run_count_at_their_defaults() -> None:
    old = record()
    del old["config"]["distillation"], old["config"]["training"]["flat_after_steps"]
    assert unusual(*USUAL, old) == [False] * 4


def test_how_often_a_run_was_saved_makes_no_difference() -> None:
    assert not unusual(*USUAL, record("training.checkpoint_every_steps=7"))[-1]


def test_a_run_beyond_the_step_at_which_it_may_be_flat_was_not_touched_by_it() -> None:
    late = record("training.flat_after_steps=6000")
    assert unusual(*USUAL, late, steps=(9000, 6000, 7000, 8000)) == [False] * 4
    assert unusual(*USUAL, late, steps=(9000, 9000, 3000, 8000)) == [False, False, True, False]


def test_a_config_of_another_version_is_compared_as_it_stands() -> None:
    other = record()
    other["config"]["training"]["momentum"] = 0.9
    before = str(other)
    assert unusual(*USUAL, other) == [False, False, False, True]
    assert str(other) == before
