import json
from pathlib import Path
from typing import Any

import pytest
import torch

from tersely.completion.completer import Completer
from tersely.corpus.dataset import PreparedCorpus
from tersely.errors import TerselyError
from tersely.game.paper.step import PolicyGradientStep
from tersely.training.checkpoint import Checkpoint
from tersely.training.config import RunConfig
from tersely.training.loop import Trainer
from tersely.training.paper_task import PaperTask
from tersely.training.stop_criteria import StopRequest
from tests.training.small import MONOTONE_TABLES, small_config

KINDS = {
    "one sample": small_config(),
    "leave one out": small_config(
        estimator={"samples": 2, "baseline": "leave_one_out", "exploration_floor": 0.02},
        objective={"weight_ascent": "sgd"},
    ),
    "linear": small_config(objective={"kind": "linear", "weight_tokens_per_nat": 4.3}),
    "unif": small_config(objective={"kind": "unif"}),
    "stopword": small_config(objective={"kind": "stopword"}),
    "distilled": small_config(
        **MONOTONE_TABLES, training={"schedule": "linear", "warmup_steps": 4}
    ),
    "adaptive": small_config(model={"softmax": "adaptive", "adaptive_cutoffs": [50, 120]}),
}


def open_trainer(config: RunConfig, data: Path, run: Path) -> Trainer:
    run.mkdir(parents=True, exist_ok=True)
    return Trainer.open(config, PreparedCorpus.open(data), run, start=None)


def paper_task(trainer: Trainer) -> PaperTask:
    assert isinstance(trainer.task, PaperTask)
    return trainer.task


def train(config: RunConfig, data: Path, run: Path, stop_after: int | None = None) -> Trainer:
    """Train to the end, or save and stop after some steps, as a process that is ended."""
    trainer = open_trainer(config, data, run)
    if stop_after is not None:
        while trainer.step < stop_after:
            trainer.train_step()
        trainer.save()
    else:
        with StopRequest(minutes=None) as stop:
            trainer.train(stop, [])
    trainer.log.close()
    return trainer


def newest_state(trainer: Trainer) -> dict[str, object]:
    saved = Checkpoint.load_newest(trainer.run)
    assert saved is not None
    return {
        "step": saved.step,
        "weights": saved.weights,
        "moments": saved.moments,
        "random": saved.random_state,
        "state": {key: value for key, value in saved.state.items() if key != "seconds"},
    }


def assert_equal(first: Any, second: Any, path: str = "") -> None:
    if isinstance(first, dict):
        assert first.keys() == second.keys(), path
        for key in first:
            assert_equal(first[key], second[key], f"{path}.{key}")
    elif isinstance(first, torch.Tensor):
        assert torch.equal(first, second), path
    else:
        assert first == second, path


@pytest.mark.promise(4)
@pytest.mark.parametrize("kind", KINDS)
def test_a_resumed_run_equals_an_uninterrupted_one_bit_for_bit(
    kind: str, corpus: Path, tmp_path: Path
) -> None:
    config = KINDS[kind]
    whole = train(config, corpus, tmp_path / "whole")
    for stop in (2, 7, 13):  # in the decoder's first steps, and on both sides of a checkpoint
        train(config, corpus, tmp_path / "parts", stop_after=stop)
    parts = train(config, corpus, tmp_path / "parts")
    assert_equal(newest_state(whole), newest_state(parts))
    metrics = [
        trainer.task.compute_loss(99, trainer.batches.at(99), trainer.generator)[1]
        for trainer in (whole, parts)
    ]
    assert metrics[0] == metrics[1]


@pytest.mark.promise(4)
def test_two_hundred_steps_equal_a_hundred_and_a_hundred(corpus: Path, tmp_path: Path) -> None:
    config = small_config(
        training={"max_steps": 200, "checkpoint_every_steps": 100, "flat_steps": 900}
    )
    whole = train(config, corpus, tmp_path / "whole")
    train(config, corpus, tmp_path / "parts", stop_after=100)
    assert_equal(newest_state(whole), newest_state(train(config, corpus, tmp_path / "parts")))


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_leaves_a_model_that_works_without_torch(
    kind: str, corpus: Path, tmp_path: Path
) -> None:
    train(KINDS[kind], corpus, tmp_path / "run")
    completer = Completer.load(tmp_path / "run")
    assert completer.complete("waiter friendly")
    chosen = completer.keywords("The waiter was friendly.")
    assert len(chosen.keep) == len(chosen.tokens) == 6
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    assert result["ending"] == "step limit"
    assert result["steps"] == 20
    assert (tmp_path / "run" / "course.png").read_bytes().startswith(b"\x89PNG")


def test_the_metrics_of_a_resumed_run_have_every_step_once(corpus: Path, tmp_path: Path) -> None:
    config = small_config(training={"max_steps": 50, "checkpoint_every_steps": 10})
    trainer = open_trainer(config, corpus, tmp_path / "run")
    while trainer.step < 26:
        trainer.train_step()
        if trainer.step == 10:
            trainer.save()
        if trainer.step == 25:
            trainer.evaluate()
    trainer.log.close()  # as if killed: step 25 was logged, but only step 10 was saved
    train(config, corpus, tmp_path / "run")
    lines = (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()
    steps = [json.loads(line)["step"] for line in lines if '"dev"' in line]
    assert steps == sorted(set(steps))
    assert 15 in steps


def test_a_loss_that_is_not_finite_stops_the_run(corpus: Path, tmp_path: Path) -> None:
    trainer = open_trainer(small_config(), corpus, tmp_path / "run")
    trainer.train_step()
    trainer.save()
    with torch.no_grad():
        paper_task(trainer).scheme.decoder.combine.weight.fill_(float("nan"))
    with pytest.raises(TerselyError, match="gradient_norm_limit"):
        trainer.train_step()
    trainer.log.close()
    saved = Checkpoint.load_newest(tmp_path / "run")
    assert saved is not None
    assert all(torch.isfinite(tensor).all() for tensor in saved.weights.values())


def test_a_collapsed_encoder_is_logged_once_as_a_warning(corpus: Path, tmp_path: Path) -> None:
    trainer = open_trainer(
        small_config(estimator={"decoder_first_steps": 0}), corpus, tmp_path / "run"
    )
    encoder = paper_task(trainer).scheme.encoder
    encoder.set_keep_probability(0.999999)
    with torch.no_grad():
        encoder.keep.weight.zero_()
    assert isinstance(paper_task(trainer).step, PolicyGradientStep)
    trainer.log_steps([trainer.train_step()])
    trainer.warn_if_collapsed()
    trainer.warn_if_collapsed()
    trainer.log.close()
    warnings = [row for row in trainer.log.rows if row["kind"] == "warning"]
    assert len(warnings) == 1
    assert "keeping all" in warnings[0]["text"]


def test_a_flat_run_killed_before_its_result_was_written_does_not_continue(
    corpus: Path, tmp_path: Path
) -> None:
    easy = {"flat_steps": 10, "flat_loss_nats": 100.0, "flat_kept_share": 1.0}
    config = small_config(objective={"kind": "unif"}, training=easy)
    ended = train(config, corpus, tmp_path / "run")
    assert ended.step < config.training.max_steps
    result = tmp_path / "run" / "result.json"
    before = json.loads(result.read_text())
    assert before["ending"] == "flat"
    result.unlink()
    assert train(config, corpus, tmp_path / "run").step == ended.step
    assert json.loads(result.read_text())["ending"] == "flat"


def test_a_run_does_not_stop_before_flat_after_steps(corpus: Path, tmp_path: Path) -> None:
    easy = {"flat_steps": 10, "flat_loss_nats": 100.0, "flat_kept_share": 1.0, "max_steps": 400}
    early = train(small_config(objective={"kind": "unif"}, training=easy), corpus, tmp_path / "a")
    least = early.step + 25
    assert least < 300
    later = small_config(objective={"kind": "unif"}, training={**easy, "flat_after_steps": least})
    assert least <= train(later, corpus, tmp_path / "b").step < 400
