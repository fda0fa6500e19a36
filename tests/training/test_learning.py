"""The smallest runs in which each objective does what it is for.

Metrics are those of masks sampled from q, as in training; a threshold would hide its confidence.
"""

from pathlib import Path
from typing import Any

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
    """A corpus of enough sentences to learn the patterns of the fixture."""
    return small_corpus(tmp_path_factory.mktemp("many") / "data", 4000, vocabulary=1000)


def config(**changes: dict[str, Any]) -> RunConfig:
    """A config like configs/tiny.toml, smaller and with higher learning rates."""
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


def trained(settings: RunConfig, data: Path, run: Path) -> Trainer:
    run.mkdir()
    trainer = Trainer.open(settings, PreparedCorpus.open(data), run, start=None)
    trainer.evaluate()
    with StopRequest(minutes=None) as stop:
        trainer.train(stop, [])
    trainer.log.close()
    return trainer


def curve(trainer: Trainer, key: str) -> list[float]:
    """A metric over the steps in which the encoder is trained, averaged over 25 steps each."""
    first = trainer.config.estimator.decoder_first_steps
    rows = [row for row in trainer.log.rows if row["kind"] == "train" and row["step"] > first]
    return [row[key] for row in rows]


def test_constrained_lowers_the_cost_and_keeps_the_loss_below_epsilon(
    many: Path, tmp_path: Path
) -> None:
    settings = config(
        objective={
            "epsilon_nats_per_token": EPSILON,
            "weight_ascent": "sgd",
            "weight_learning_rate": 0.05,
            "weight_tokens_per_nat": 2.0,
        },
        estimator={"logit_penalty_tokens": 0.005, "decoder_first_steps": 200},
        training={"max_steps": 800, "encoder_learning_rate": 0.004},
    )
    trainer = trained(settings, many, tmp_path / "run")
    loss, cost = curve(trainer, "loss_nats_a_token"), curve(trainer, "cost_tokens")
    assert loss[0] > 2 * EPSILON  # the constraint is violated at first,
    assert max(loss[-3:]) < EPSILON + 0.1  # and satisfied in the end,
    assert sum(cost[-3:]) / 3 < 0.8 * max(cost)  # with fewer keywords than at the peak
    assert trainer.dev_history()[-1]["loss_nats_a_token"] < EPSILON + 0.1
    assert 0.3 < trainer.dev_history()[-1]["kept_fraction"] < 0.8


@pytest.mark.parametrize(("weight", "kept"), [(100.0, 1.0), (0.01, 0.0)], ids=["large", "small"])
def test_linear_keeps_all_or_nothing_at_the_wrong_lambda(
    weight: float, kept: float, many: Path, tmp_path: Path
) -> None:
    settings = config(
        objective={"kind": "linear", "weight_tokens_per_nat": weight},
        estimator={"decoder_first_steps": 50},
        training={"max_steps": 150},
    )
    shares = curve(trained(settings, many, tmp_path / "run"), "kept_fraction")
    assert 0.15 < shares[0] < 0.85
    assert shares[-1] == pytest.approx(kept, abs=0.02)


def test_unif_trains_its_decoder_by_likelihood(many: Path, tmp_path: Path) -> None:
    settings = config(objective={"kind": "unif", "delta": 0.5}, training={"max_steps": 100})
    trainer = trained(settings, many, tmp_path / "run")
    before, after = trainer.dev_history()
    assert after["loss_nats_a_token"] < 0.75 * before["loss_nats_a_token"]
    assert after["kept_fraction"] == before["kept_fraction"] == pytest.approx(0.5, abs=0.05)
    fresh = Trainer.open(settings, PreparedCorpus.open(many), tmp_path / "fresh", start=None)
    fresh.log.close()
    for trained_parameter, initial in zip(
        trainer.task.scheme.encoder.parameters(),
        fresh.task.scheme.encoder.parameters(),
        strict=True,
    ):
        assert torch.equal(trained_parameter, initial)  # a rule does not train the encoder
