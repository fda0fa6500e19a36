import json
from pathlib import Path

import pytest
import torch

from tersely.completion.completer import Completer
from tersely.corpus.dataset import PreparedCorpus
from tersely.errors import TerselyError
from tersely.game.paper.step import PolicyGradientStep
from tersely.training.checkpoint import Checkpoint
from tersely.training.config import RunConfig
from tersely.training.loop import Trainer
from tersely.training.stop_criteria import StopRequest
from tests.training.small import small_config

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
        model={"architecture": "monotone", "encoder_embedding_units": 6},
        objective={"kind": "distilled"},
        training={"schedule": "linear", "warmup_steps": 4},
    ),
    "adaptive": small_config(model={"softmax": "adaptive", "adaptive_cutoffs": [50, 120]}),
}


def trainer(config: RunConfig, data: Path, run: Path) -> Trainer:
    run.mkdir(parents=True, exist_ok=True)
    return Trainer.open(config, PreparedCorpus.open(data), run, start=None)


def train(config: RunConfig, data: Path, run: Path, stop_after: int | None = None) -> Trainer:
    """Train to the end, or as if the process ended after so many steps and began anew."""
    made = trainer(config, data, run)
    if stop_after is not None:
        while made.step < stop_after:
            made.train_step()
        made.save()
    else:
        with StopRequest(minutes=None) as stop:
            made.train(stop, [])
    made.log.close()
    return made


def everything(made: Trainer) -> dict[str, object]:
    saved = Checkpoint.load_newest(made.run)
    assert saved is not None
    return {
        "step": saved.step,
        "weights": saved.weights,
        "moments": saved.moments,
        "random": saved.random_state,
        "state": {key: value for key, value in saved.state.items() if key != "seconds"},
    }


def assert_same(one: object, other: object, place: str = "") -> None:
    if isinstance(one, dict):
        assert one.keys() == other.keys(), place
        for key in one:
            assert_same(one[key], other[key], f"{place}.{key}")
    elif isinstance(one, torch.Tensor):
        assert torch.equal(one, other), place
    else:
        assert one == other, place


@pytest.mark.promise(4)
@pytest.mark.parametrize("kind", KINDS)
def test_a_resumed_run_equals_an_undisturbed_one_to_the_bit(
    kind: str, corpus: Path, tmp_path: Path
) -> None:
    config = KINDS[kind]
    whole = train(config, corpus, tmp_path / "whole")
    for stop in (2, 7, 13):  # in the decoder's first steps, and on both sides of a checkpoint
        train(config, corpus, tmp_path / "parts", stop_after=stop)
    parts = train(config, corpus, tmp_path / "parts")
    assert_same(everything(whole), everything(parts))
    masks = [
        made.task.compute_loss(99, made.batches.at(99), made.generator)[1]
        for made in (whole, parts)
    ]
    assert masks[0] == masks[1]


@pytest.mark.promise(4)
def test_two_hundred_steps_equal_a_hundred_and_a_hundred(corpus: Path, tmp_path: Path) -> None:
    config = small_config(
        training={"max_steps": 200, "checkpoint_every_steps": 100, "flat_steps": 900}
    )
    whole = train(config, corpus, tmp_path / "whole")
    train(config, corpus, tmp_path / "parts", stop_after=100)
    assert_same(everything(whole), everything(train(config, corpus, tmp_path / "parts")))


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


def test_metrics_read_as_if_the_run_had_never_stopped(corpus: Path, tmp_path: Path) -> None:
    config = small_config(training={"max_steps": 50, "checkpoint_every_steps": 10})
    made = trainer(config, corpus, tmp_path / "run")
    while made.step < 26:
        made.train_step()
        if made.step == 10:
            made.save()
        if made.step == 25:
            made.evaluate()
    made.log.close()  # killed: step 25 was logged, but only 10 was saved
    train(config, corpus, tmp_path / "run")
    lines = (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()
    steps = [json.loads(line)["step"] for line in lines if '"dev"' in line]
    assert steps == sorted(set(steps))
    assert 15 in steps


def test_a_loss_that_is_no_number_stops_the_run(corpus: Path, tmp_path: Path) -> None:
    made = trainer(small_config(), corpus, tmp_path / "run")
    made.train_step()
    made.save()
    with torch.no_grad():
        made.task.scheme.decoder.combine.weight.fill_(float("nan"))
    with pytest.raises(TerselyError, match="gradient_norm_limit"):
        made.train_step()
    made.log.close()
    saved = Checkpoint.load_newest(tmp_path / "run")
    assert saved is not None
    assert all(torch.isfinite(tensor).all() for tensor in saved.weights.values())


def test_a_collapsed_encoder_is_warned_of_once(corpus: Path, tmp_path: Path) -> None:
    made = trainer(small_config(estimator={"decoder_first_steps": 0}), corpus, tmp_path / "run")
    made.task.scheme.encoder.set_keep_probability(0.999999)
    with torch.no_grad():
        made.task.scheme.encoder.keep.weight.zero_()
    assert isinstance(made.task.step, PolicyGradientStep)
    made.log_steps([made.train_step()])
    made.warn_if_collapsed()
    made.warn_if_collapsed()
    made.log.close()
    warnings = [row for row in made.log.rows if row["kind"] == "warning"]
    assert len(warnings) == 1
    assert "keeping all" in warnings[0]["text"]


def test_a_flat_run_that_was_killed_before_its_note_does_not_go_on(
    corpus: Path, tmp_path: Path
) -> None:
    easy = {"flat_steps": 10, "flat_loss_nats": 100.0, "flat_kept_share": 1.0}
    config = small_config(objective={"kind": "unif"}, training=easy)
    ended = train(config, corpus, tmp_path / "run")
    assert ended.step < config.training.max_steps
    note = tmp_path / "run" / "result.json"
    before = json.loads(note.read_text())
    assert before["ending"] == "flat"
    note.unlink()
    assert train(config, corpus, tmp_path / "run").step == ended.step
    assert json.loads(note.read_text())["ending"] == "flat"


def test_no_run_is_flat_before_it_may_be(corpus: Path, tmp_path: Path) -> None:
    easy = {"flat_steps": 10, "flat_loss_nats": 100.0, "flat_kept_share": 1.0, "max_steps": 400}
    early = train(small_config(objective={"kind": "unif"}, training=easy), corpus, tmp_path / "a")
    least = early.step + 25
    assert least < 300
    later = small_config(objective={"kind": "unif"}, training={**easy, "flat_after_steps": least})
    assert least <= train(later, corpus, tmp_path / "b").step < 400
