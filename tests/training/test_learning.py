"""Schemes that learn: the smallest runs in which each objective does what it is for.

What is looked at is drawn from q, as in training; a threshold would hide how sure q is.
"""

from pathlib import Path

import pytest
import torch

from tersely.corpus.dataset import PreparedCorpus
from tersely.training.config import RunConfig
from tersely.training.loop import Trainer
from tersely.training.stop_criteria import StopRequest
from tests.training.small import small_config, small_corpus

EPSILON = 0.5


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sentences enough to learn how the fixture's go on."""
    return small_corpus(tmp_path_factory.mktemp("many") / "data", 4000, vocabulary=1000)


def config(**changes: dict) -> RunConfig:
    """A config like configs/tiny.toml, smaller and in more of a hurry."""
    units = dict.fromkeys(("embedding_units", "encoder_units", "reader_units", "decoder_units"), 32)
    training = {
        "batch_sentences": 32,
        "learning_rate": 0.006,
        "gradient_norm_limit": 5.0,
        "flat_steps": 100_000,
        "evaluate_every_steps": 100_000,
        "evaluate_sentences": 300,
        "checkpoint_every_steps": 100_000,
    }
    estimator = {"samples": 2, "baseline": "leave_one_out"}
    return small_config(
        model=units,
        objective=changes.get("objective", {}),
        estimator={**estimator, **changes.get("estimator", {})},
        training={**training, **changes.get("training", {})},
    )


def trained(asked: RunConfig, data: Path, run: Path) -> Trainer:
    run.mkdir()
    made = Trainer.open(asked, PreparedCorpus.open(data), run, start=None)
    made.evaluate()
    with StopRequest(minutes=None) as stop:
        made.train(stop, [])
    made.log.close()
    return made


def course(made: Trainer, key: str) -> list[float]:
    """A figure over the steps in which the encoder learned, 25 of them at a time."""
    first = made.config.estimator.decoder_first_steps
    rows = [row for row in made.log.rows if row["kind"] == "train" and row["step"] > first]
    return [row[key] for row in rows]


def test_constrained_lowers_the_cost_and_holds_the_loss(many: Path, tmp_path: Path) -> None:
    asked = config(
        objective={
            "epsilon_nats_per_token": EPSILON,
            "weight_ascent": "sgd",
            "weight_learning_rate": 0.05,
            "weight_tokens_per_nat": 2.0,
        },
        estimator={"logit_penalty_tokens": 0.005, "decoder_first_steps": 200},
        training={"max_steps": 800, "encoder_learning_rate": 0.004},
    )
    made = trained(asked, many, tmp_path / "run")
    loss, cost = course(made, "loss_nats_a_token"), course(made, "cost_tokens")
    assert loss[0] > 2 * EPSILON  # it starts out of bounds,
    assert max(loss[-3:]) < EPSILON + 0.1  # and ends within them,
    assert sum(cost[-3:]) / 3 < 0.8 * max(cost)  # with fewer words than it took to get there
    assert made.dev_history()[-1]["loss_nats_a_token"] < EPSILON + 0.1
    assert 0.3 < made.dev_history()[-1]["kept_fraction"] < 0.8


@pytest.mark.parametrize(("weight", "kept"), [(100.0, 1.0), (0.01, 0.0)], ids=["large", "small"])
def test_linear_keeps_all_or_nothing_at_the_wrong_lambda(
    weight: float, kept: float, many: Path, tmp_path: Path
) -> None:
    asked = config(
        objective={"kind": "linear", "weight_tokens_per_nat": weight},
        estimator={"decoder_first_steps": 50},
        training={"max_steps": 150},
    )
    shares = course(trained(asked, many, tmp_path / "run"), "kept_fraction")
    assert 0.15 < shares[0] < 0.85
    assert shares[-1] == pytest.approx(kept, abs=0.02)


def test_unif_trains_its_decoder_by_likelihood(many: Path, tmp_path: Path) -> None:
    asked = config(objective={"kind": "unif", "delta": 0.5}, training={"max_steps": 100})
    made = trained(asked, many, tmp_path / "run")
    before, after = made.dev_history()
    assert after["loss_nats_a_token"] < 0.75 * before["loss_nats_a_token"]
    assert after["kept_fraction"] == before["kept_fraction"] == pytest.approx(0.5, abs=0.05)
    fresh = Trainer.open(asked, PreparedCorpus.open(many), tmp_path / "fresh", start=None)
    fresh.log.close()
    for ours, theirs in zip(
        made.task.scheme.encoder.parameters(), fresh.task.scheme.encoder.parameters(), strict=True
    ):
        assert torch.equal(ours, theirs)  # which has nothing to learn
