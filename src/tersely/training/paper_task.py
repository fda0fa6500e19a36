"""Training and evaluating the paper's scheme, with a learned encoder or a rule."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor

from tersely.corpus.dataset import Split
from tersely.game.batch import Batch, length_mask
from tersely.game.paper.estimator import Baseline, LeaveOneOut, MovingAverage
from tersely.game.paper.objective import OBJECTIVES
from tersely.game.paper.rules import RULES, RandomRateRule
from tersely.game.paper.scheme import PaperScheme
from tersely.game.paper.step import PolicyGradientStep, RuleStep
from tersely.game.step import StepMetrics
from tersely.model.shapes import PAPER, CommonShape, PaperShape
from tersely.text.vocabulary import Vocabulary
from tersely.training.batches import sequential_batches
from tersely.training.config import EstimatorConfig, ModelConfig, RunConfig
from tersely.training.dev_evaluation import BATCH_SENTENCES, MASK_SEED, evaluate

PaperStep = PolicyGradientStep | RuleStep


@dataclass(frozen=True, slots=True)
class PaperTask:
    """The paper's scheme and its training step."""

    architecture: ClassVar[str] = PAPER

    scheme: PaperScheme
    step: PaperStep
    encoder_settings: dict[str, Any]  # how keywords are chosen, for the settings of a model folder
    decoder_first_steps: int

    @classmethod
    def build(
        cls, config: RunConfig, shape: CommonShape, lexicon: Vocabulary, generator: torch.Generator
    ) -> Self:
        """Build an untrained scheme of this shape, and the step of the config's objective."""
        assert isinstance(shape, PaperShape)
        scheme = PaperScheme(shape)
        scheme.initialize(config.model.initial_range, generator)
        if config.model.initial_keep_probability is not None:
            scheme.encoder.set_keep_probability(config.model.initial_keep_probability)
        return cls(
            scheme=scheme,
            step=build_step(config, lexicon),
            encoder_settings=encoder_settings(config),
            decoder_first_steps=config.estimator.decoder_first_steps,
        )

    @staticmethod
    def shape(model: ModelConfig, vocabulary_size: int) -> PaperShape:
        """Return the shape of a scheme over a vocabulary."""
        return PaperShape(
            **model.common_shape(vocabulary_size),
            encoder_units=model.encoder_units,
            decoder_input=model.decoder_input,
            decoder_start=model.decoder_start,
            end_mark_in_keywords=model.end_mark_in_keywords,
        )

    def compute_loss(
        self, step: int, batch: Batch, generator: torch.Generator
    ) -> tuple[Tensor, StepMetrics]:
        """Return the scalar to minimise at a step, and the metrics of the step."""
        return self._step_at(step).compute_loss(self.scheme, batch, generator)

    def finish_step(self, step: int, metrics: StepMetrics) -> None:
        """Update λ."""
        self._step_at(step).update_objective(metrics)

    def _step_at(self, step: int) -> PaperStep:
        """Return the step; in the first steps only the decoder is trained, on random masks."""
        return RuleStep(RandomRateRule()) if step < self.decoder_first_steps else self.step

    def extra_metrics(self) -> dict[str, float]:
        """Return λ, if there is one."""
        if isinstance(self.step, RuleStep):
            return {}
        return {"weight_tokens_per_nat": self.step.objective.multiplier}

    def evaluate(self, dev: Split, sentences: int) -> dict[str, float]:
        """Evaluate on dev, with masks by threshold or sampled (evaluation.keep)."""
        generator = torch.Generator().manual_seed(MASK_SEED)

        def mask_and_loss(batch: Batch) -> tuple[Tensor, Tensor]:
            keep = self._masks(batch, generator)
            return keep, self.scheme.total_loss(batch, keep)

        return evaluate(dev, sentences, mask_and_loss)

    def _masks(self, batch: Batch, generator: torch.Generator) -> Tensor:
        """Choose keywords as the exported model does: (batch, time)."""
        if isinstance(self.step, RuleStep):
            keep = self.step.rule(batch, generator)
        else:
            logits = self.scheme.encoder(batch.tokens, batch.lengths)
            is_sampled = self.encoder_settings.get("keep") == "sample"
            half = torch.full_like(logits, 0.5)
            thresholds = torch.rand(logits.shape, generator=generator) if is_sampled else half
            keep = thresholds < logits.sigmoid()
        return keep & length_mask(batch.lengths, batch.tokens.shape[1])

    def selection_settings(self, dev: Split, sentences: int) -> dict[str, Any]:
        """Return how keywords are chosen, and the quantiles by which a budget is converted."""
        is_rule = isinstance(self.step, RuleStep)
        quantiles = [] if is_rule else keep_quantiles(self.scheme, dev, sentences=sentences)
        return {"encoder": self.encoder_settings, "keep_quantiles": quantiles}

    def state_dict(self) -> dict[str, Any]:
        """Return the state of λ and the baseline."""
        if isinstance(self.step, RuleStep):
            return {}
        return {
            "objective": self.step.objective.state_dict(),
            "baseline": self.step.baseline.state_dict(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore λ and the baseline."""
        if isinstance(self.step, PolicyGradientStep):
            self.step.objective.load_state_dict(state["objective"])
            self.step.baseline.load_state_dict(state["baseline"])


def build_step(config: RunConfig, lexicon: Vocabulary) -> PaperStep:
    """Build the training step of the config's objective or rule."""
    objective, estimator = config.objective, config.estimator
    if objective.kind in RULES:
        return RuleStep(RULES[objective.kind].from_config(objective, lexicon))
    return PolicyGradientStep(
        objective=OBJECTIVES[objective.kind].from_config(objective),
        baseline=_build_baseline(estimator),
        samples=estimator.samples,
        exploration_floor=estimator.exploration_floor,
        entropy_bonus=estimator.entropy_bonus_tokens_per_nat,
        logit_penalty=estimator.logit_penalty_tokens,
        scale_decoder_by_multiplier=objective.decoder_gradient == "scaled_by_weight",
    )


def _build_baseline(config: EstimatorConfig) -> Baseline:
    if config.baseline == "leave_one_out":
        return LeaveOneOut()
    return MovingAverage(config.baseline_decay)


def encoder_settings(config: RunConfig) -> dict[str, Any]:
    """Return how a model folder describes the encoder: learned, or one of the rules."""
    if config.objective.kind in RULES:
        return RULES[config.objective.kind].encoder_settings(config.objective)
    return {"kind": "learned", "keep": config.evaluation.keep}


@torch.no_grad()
def keep_quantiles(scheme: PaperScheme, split: Split, *, sentences: int) -> list[float]:
    """Return the 101 percentiles of the keep probabilities of a split's tokens."""
    probabilities = [
        scheme.encoder(batch.tokens, batch.lengths).sigmoid()[
            length_mask(batch.lengths, batch.tokens.shape[1])
        ]
        for batch in sequential_batches(split, batch_size=BATCH_SENTENCES, limit=sentences)
    ]
    pooled = torch.cat(probabilities).double().numpy()
    return [float(value) for value in np.quantile(pooled, np.linspace(0, 1, 101))]
