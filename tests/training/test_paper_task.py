from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tersely.corpus.dataset import PreparedCorpus, Split
from tersely.game.paper.estimator import LeaveOneOut, MovingAverage
from tersely.game.paper.objective import Constrained, Linear
from tersely.game.paper.rules import RandomRateRule, StopwordRule, UnifRule
from tersely.game.paper.scheme import PaperScheme
from tersely.game.paper.step import PolicyGradientStep, RuleStep
from tersely.game.step import StepMetrics
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary
from tersely.training.batches import sequential_batches
from tersely.training.config import load_config
from tersely.training.paper_task import PaperTask, build_step, encoder_settings, keep_quantiles
from tests.game.small import random_batch, small_scheme
from tests.game.small_monotone import split_of
from tests.training.small import CONFIGS, small_config

LEARNED = {"kind": "learned", "keep": "threshold"}
LEXICON = Vocabulary([*SPECIAL_TOKENS, "the", "waiter", "."])


@pytest.fixture(scope="module")
def dev() -> Split:
    return split_of(random_batch(100))


@pytest.fixture(scope="module")
def fixture_dev(corpus: Path) -> Split:
    return PreparedCorpus.open(corpus).split("dev")


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(1)


def learned(decoder_first_steps: int = 0, **encoder: Any) -> PaperTask:
    objective = Constrained(epsilon=0.1, initial_multiplier=2.0, learning_rate=0.1, ascent="sgd")
    step = PolicyGradientStep(objective, MovingAverage(0.9), 1, 0.0, 0.0, 0.0, True)
    return PaperTask(small_scheme(), step, {**LEARNED, **encoder}, decoder_first_steps)


def by_rule(delta: float = 0.3) -> PaperTask:
    encoder = {"kind": "unif", "delta": delta}
    return PaperTask(small_scheme(), RuleStep(UnifRule(delta)), encoder, 0)


def built(**changes: dict[str, Any]) -> PaperTask:
    """A task of 200 words, built from the small config."""
    config = small_config(**changes)
    shape = PaperTask.shape(config.model, 200)
    return PaperTask.build(config, shape, LEXICON, generator())


def step_of(**changes: dict[str, Any]) -> PolicyGradientStep:
    step = build_step(small_config(**changes), LEXICON)
    assert isinstance(step, PolicyGradientStep)
    return step


def run_step(task: PaperTask, step: int) -> tuple[float, StepMetrics]:
    loss, metrics = task.compute_loss(step, random_batch(20), generator())
    task.finish_step(step, metrics)
    return loss.item(), metrics


def test_the_papers_scheme_has_the_papers_sizes() -> None:
    shape = PaperTask.shape(load_config(CONFIGS / "paper.toml").model, 10_000)
    assert shape.embedding_units == shape.encoder_units == shape.decoder_units == 300
    assert shape.reader_units == 300
    assert (shape.softmax, shape.adaptive_cutoffs) == ("full", ())
    shape.check()


def test_reader_units_count_both_directions_or_each() -> None:
    each = {"reader_units_count": "each_direction", "decoder_start": "zeros"}
    assert PaperTask.shape(small_config(model=each).model, 50).reader_units == 24
    assert PaperTask.shape(small_config().model, 50).reader_units == 12


def test_clusters_past_the_vocabulary_are_omitted() -> None:
    model = small_config(model={"softmax": "adaptive", "adaptive_cutoffs": [50, 120]}).model
    for size, cutoffs in ((500, (50, 120)), (120, (50,)), (50, ())):
        shape = PaperTask.shape(model, size)
        assert shape.adaptive_cutoffs == cutoffs
        assert shape.softmax == ("adaptive" if cutoffs else "full")
        shape.check()


def test_parameters_are_initialized_within_the_range_and_keep_the_configured_share() -> None:
    scheme = built(model={"initial_range": 0.03, "initial_keep_probability": 0.8}).scheme
    logits = scheme.encoder(torch.tensor([[5, 6, 7]]), torch.tensor([3]))
    assert torch.allclose(logits.sigmoid(), torch.tensor(0.8), atol=0.01)
    for name, tensor in scheme.state_dict().items():
        assert name == "encoder.keep.bias" or tensor.abs().max() <= 0.03


def test_the_same_seed_builds_the_same_scheme() -> None:
    first, second = (built().scheme.state_dict() for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_each_kind_of_objective_has_its_step() -> None:
    unif = build_step(small_config(objective={"kind": "unif", "delta": 0.3}), LEXICON)
    assert isinstance(unif, RuleStep)
    assert isinstance(unif.rule, UnifRule)
    stopword = build_step(small_config(objective={"kind": "stopword"}), LEXICON)
    assert isinstance(stopword, RuleStep)
    assert isinstance(stopword.rule, StopwordRule)
    linear = step_of(objective={"kind": "linear", "weight_tokens_per_nat": 4.3})
    assert isinstance(linear.objective, Linear)
    assert linear.objective.multiplier == 4.3
    constrained = step_of(objective={"epsilon_nats_per_token": 0.2})
    assert isinstance(constrained.objective, Constrained)
    assert (constrained.objective.epsilon, constrained.objective.multiplier) == (0.2, 5.0)


@pytest.mark.parametrize(("ascent", "after"), [("adam", 5.01), ("sgd", 5.02)])
def test_lambda_is_updated_by_the_configured_optimizer(ascent: str, after: float) -> None:
    objective = step_of(objective={"weight_ascent": ascent, "weight_learning_rate": 0.01}).objective
    objective.update(2.5)  # ε is 0.5: the gradient is 2
    assert objective.multiplier == pytest.approx(after, abs=1e-6)


def test_the_estimator_is_the_configured_one() -> None:
    assert isinstance(step_of().baseline, MovingAverage)
    step = step_of(
        estimator={
            "samples": 3,
            "baseline": "leave_one_out",
            "exploration_floor": 0.01,
            "entropy_bonus_tokens_per_nat": 0.2,
            "logit_penalty_tokens": 0.3,
        },
        objective={"decoder_gradient": "unscaled"},
    )
    assert isinstance(step.baseline, LeaveOneOut)
    assert (step.samples, step.exploration_floor, step.entropy_bonus) == (3, 0.01, 0.2)
    assert step.logit_penalty == 0.3
    assert not step.scale_decoder_by_multiplier


def test_stop_words_are_dropped_as_configured() -> None:
    table = {"kind": "stopword", "delta": 0.5, "stopword_drops_shift": True}
    step = build_step(small_config(objective=table), LEXICON)
    assert isinstance(step, RuleStep)
    assert isinstance(step.rule, StopwordRule)
    encoder = step.rule.encoder
    assert (encoder.delta, encoder.drop_shift, encoder.drop_punctuation) == (0.5, True, False)


def test_only_the_decoder_is_trained_in_the_first_steps_and_lambda_stays() -> None:
    task = learned(decoder_first_steps=3)
    loss, metrics = RuleStep(RandomRateRule()).compute_loss(
        task.scheme, random_batch(20), generator()
    )
    for step in range(3):
        assert run_step(task, step) == (loss.item(), metrics)
    assert task.extra_metrics() == {"weight_tokens_per_nat": 2.0}
    assert run_step(task, 3)[1] != metrics
    assert task.extra_metrics()["weight_tokens_per_nat"] > 2.0


def test_a_rule_has_no_lambda_and_no_state() -> None:
    task = by_rule()
    run_step(task, 0)
    assert task.extra_metrics() == task.state_dict() == {}
    task.load_state_dict({})


def test_a_restored_task_continues_identically() -> None:
    first, second = learned(), learned()
    run_step(first, 0)
    second.load_state_dict(first.state_dict())
    assert second.extra_metrics() == first.extra_metrics() != learned().extra_metrics()
    assert run_step(second, 1) == run_step(first, 1)
    assert second.state_dict() == first.state_dict()


@torch.no_grad()
def test_dev_metrics_are_those_of_single_sentences(fixture_dev: Split) -> None:
    task = built(model={"initial_range": 0.8})
    kept = tokens = 0
    loss = 0.0
    for batch in sequential_batches(fixture_dev, batch_size=1, limit=15):
        keep = task.scheme.encoder(batch.tokens, batch.lengths).sigmoid() > 0.5
        kept, tokens = kept + int(keep.sum()), tokens + int(batch.lengths[0])
        loss += float(task.scheme.total_loss(batch, keep))
    assert task.evaluate(fixture_dev, 15) == pytest.approx(
        {
            "kept_fraction": kept / tokens,
            "cost_tokens": kept / 15,
            "loss_nats_a_token": loss / (tokens + 15),
        },
        rel=1e-4,
    )
    assert 0 < kept < tokens


def test_every_evaluation_draws_the_same_masks(dev: Split) -> None:
    task = by_rule(0.4)
    first = task.evaluate(dev, 25)
    torch.manual_seed(99)
    assert task.evaluate(dev, 25) == first
    assert first["kept_fraction"] == pytest.approx(0.4, abs=0.12)


def test_an_encoder_that_samples_is_evaluated_by_sampled_masks(dev: Split) -> None:
    task = learned(keep="sample")
    with torch.no_grad():
        task.scheme.encoder.keep.weight.zero_()
    task.scheme.encoder.set_keep_probability(0.3)
    assert 0.2 < task.evaluate(dev, 40)["kept_fraction"] < 0.4
    by_threshold = replace(task, encoder_settings=LEARNED)
    assert by_threshold.evaluate(dev, 40)["kept_fraction"] == 0


@torch.no_grad()
def test_quantiles_are_those_of_the_keep_probabilities(fixture_dev: Split) -> None:
    scheme: PaperScheme = built(model={"initial_range": 0.8}).scheme
    quantiles = keep_quantiles(scheme, fixture_dev, sentences=20)
    probabilities = np.concatenate(
        [
            scheme.encoder(batch.tokens, batch.lengths).sigmoid()[0].numpy()
            for batch in sequential_batches(fixture_dev, batch_size=1, limit=20)
        ]
    )
    assert len(quantiles) == 101
    assert quantiles == sorted(quantiles)
    assert (quantiles[0], quantiles[-1]) == pytest.approx(
        (probabilities.min(), probabilities.max()), abs=1e-6
    )
    assert (probabilities <= quantiles[25]).mean() == pytest.approx(0.25, abs=0.02)


def test_a_learned_encoder_is_exported_with_its_quantiles(dev: Split) -> None:
    task = learned()
    assert task.selection_settings(dev, 50) == {
        "encoder": LEARNED,
        "keep_quantiles": keep_quantiles(task.scheme, dev, sentences=50),
    }
    assert task.architecture == "paper"


def test_a_rule_is_exported_without_quantiles(dev: Split) -> None:
    assert by_rule().selection_settings(dev, 50) == {
        "encoder": {"kind": "unif", "delta": 0.3},
        "keep_quantiles": [],
    }


def test_a_model_chooses_keywords_as_it_was_trained() -> None:
    def settings(**changes: dict[str, Any]) -> dict[str, Any]:
        return encoder_settings(small_config(**changes))

    assert settings() == LEARNED
    assert settings(evaluation={"keep": "sample"}) == {"kind": "learned", "keep": "sample"}
    assert settings(objective={"kind": "unif", "delta": 0.2}) == {"kind": "unif", "delta": 0.2}
    assert settings(
        objective={"kind": "stopword", "delta": 0.5, "stopword_drops_punctuation": True}
    ) == {"kind": "stopword", "delta": 0.5, "drop_shift": False, "drop_punctuation": True}
