"""Training and evaluating the monotone scheme: one model for all budgets."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor

from tersely.corpus.dataset import Split
from tersely.game.batch import Batch
from tersely.game.distilled.masks import MaskSampler, build_rules
from tersely.game.distilled.scheme import MonotoneScheme, token_values
from tersely.game.distilled.step import DistillationStep
from tersely.game.step import StepMetrics
from tersely.model.budget_features import keyword_counts
from tersely.model.shapes import MONOTONE, CommonShape, MonotoneShape
from tersely.selection.budget import (
    DEFAULT_SHARPNESS,
    MAX_TRAINED_BUDGET,
    MIN_TRAINED_BUDGET,
    Allocation,
    MarginalGains,
    marginal_gains,
    refine_budget_rows,
    sort_by_value,
    threshold_for,
)
from tersely.selection.surprisal import SURPRISAL
from tersely.text.tokens import SHIFT
from tersely.text.vocabulary import SHIFT_ID, Vocabulary
from tersely.training.batches import sequential_batches
from tersely.training.config import ModelConfig, RunConfig
from tersely.training.dev_evaluation import BATCH_SENTENCES, evaluate

EVALUATED_BUDGETS = (0.2, 0.35, 0.5, 0.65)
THRESHOLD_BUDGETS = tuple(
    round(float(budget), 3) for budget in np.linspace(MIN_TRAINED_BUDGET, MAX_TRAINED_BUDGET, 35)
)
"""The budgets of a table with thresholds."""
MEASURED_BUDGETS = THRESHOLD_BUDGETS[::2]
"""The budgets whose loss is measured, in any table."""


@dataclass(frozen=True, slots=True)
class DistilledTask:
    """A monotone scheme and its training step."""

    architecture: ClassVar[str] = MONOTONE

    scheme: MonotoneScheme
    step: DistillationStep
    default_budget: float

    @classmethod
    def build(
        cls, config: RunConfig, shape: CommonShape, lexicon: Vocabulary, generator: torch.Generator
    ) -> Self:
        """Build an untrained scheme of this shape, and its training step."""
        assert isinstance(shape, MonotoneShape)
        scheme = MonotoneScheme(shape, types_shift=config.distillation.types_case_marks)
        scheme.initialize(config.model.initial_range, generator)
        settings = config.distillation
        masks = MaskSampler(
            rules=build_rules(settings.rules, lexicon),
            rule_share=settings.rule_share,
            no_budget_share=settings.no_budget_share,
            noise=settings.value_noise,
            flip_share=settings.flip_share,
            on_average_share=settings.on_average_share,
        )
        return cls(scheme, DistillationStep(masks), settings.default_budget)

    @staticmethod
    def shape(model: ModelConfig, vocabulary_size: int) -> MonotoneShape:
        """Return the shape of a scheme over a vocabulary."""
        return MonotoneShape(
            **model.common_shape(vocabulary_size),
            encoder_embedding_units=model.encoder_embedding_units,
            encoder_units_a_direction=model.encoder_units // 2,
        )

    def compute_loss(
        self, step: int, batch: Batch, generator: torch.Generator
    ) -> tuple[Tensor, StepMetrics]:
        """Return the scalar to minimise and the metrics; the step number is not used."""
        return self.step.compute_loss(self.scheme, batch, generator)

    def finish_step(self, step: int, metrics: StepMetrics) -> None:
        """Do nothing: there is no λ."""

    def extra_metrics(self) -> dict[str, float]:
        """Return nothing: there is no λ."""
        return {}

    def evaluate(self, dev: Split, sentences: int) -> dict[str, float]:
        """Evaluate on dev: the mean over a few budgets, allocated evenly."""
        rows = [
            evaluate_allocation(self.scheme, dev, Allocation(budget), sentences=sentences)
            for budget in EVALUATED_BUDGETS
        ]
        return {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}

    def selection_settings(self, dev: Split, sentences: int) -> dict[str, Any]:
        """Return how keywords are chosen, and the table of budgets measured on dev."""
        encoder = {
            "kind": SURPRISAL,
            "noise": self.step.masks.noise,
            "default_budget": self.default_budget,
            "types_marks": self.scheme.types_shift,
        }
        if not self.step.masks.on_average_share:
            return {"encoder": encoder, "budgets": self._even_rows(dev, sentences)}
        encoder["sharpness"] = DEFAULT_SHARPNESS
        return {"encoder": encoder, "budgets": self._threshold_rows(dev, sentences)}

    def _even_rows(self, dev: Split, sentences: int) -> list[dict[str, float]]:
        """Measure the loss at some budgets; budgets between them get rows without a loss."""
        return refine_budget_rows(
            [self._row(dev, Allocation(budget), sentences) for budget in MEASURED_BUDGETS],
            _case_marks(dev, sentences),
            types_shift=self.scheme.types_shift,
        )

    def _threshold_rows(self, dev: Split, sentences: int) -> list[dict[str, float]]:
        """Fit the threshold of each budget, and measure the loss at some of them."""
        rows = []
        for budget in THRESHOLD_BUDGETS:
            threshold, typed = fit_threshold(self.scheme, dev, budget, sentences=sentences)
            row = {"budget": budget, "typed_fraction": typed}
            if budget in MEASURED_BUDGETS:
                row = self._row(dev, Allocation(budget, threshold), sentences)
            rows.append({**row, "bar": threshold})
        return rows

    def _row(self, dev: Split, allocation: Allocation, sentences: int) -> dict[str, float]:
        metrics = evaluate_allocation(self.scheme, dev, allocation, sentences=sentences)
        return {
            "budget": allocation.share,
            "typed_fraction": metrics["kept_fraction"],
            "loss_nats_a_token": metrics["loss_nats_a_token"],
        }

    def state_dict(self) -> dict[str, Any]:
        """Return nothing: all state is in the parameters."""
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Do nothing: all state is in the parameters."""


def evaluate_allocation(
    scheme: MonotoneScheme, split: Split, allocation: Allocation, *, sentences: int
) -> dict[str, float]:
    """Evaluate a scheme with keywords chosen by a budget allocation."""

    def mask_and_loss(batch: Batch) -> tuple[Tensor, Tensor]:
        keep = scheme.masks(batch, allocation)
        budgets = torch.full((len(keep),), allocation.share, dtype=torch.float64)
        on_average = allocation.threshold is not None
        return keep, scheme.token_losses(batch, keep, budgets, on_average)[0]

    return evaluate(split, sentences, mask_and_loss)


@torch.no_grad()
def fit_threshold(
    scheme: MonotoneScheme, split: Split, share: float, *, sentences: int
) -> tuple[float, float]:
    """Return the threshold at which this share of the tokens is typed, and the fraction typed."""
    parts: list[MarginalGains] = []
    tokens = 0
    for batch in sequential_batches(split, batch_size=BATCH_SENTENCES, limit=sentences):
        lengths = batch.lengths.numpy()
        budgets = torch.full((len(lengths),), share, dtype=torch.float64)
        predicted_losses = scheme.predict_losses(batch, budgets)
        values = scheme.fix_special_values(batch, token_values(predicted_losses)).numpy()
        ranked = sort_by_value(values, predicted_losses.numpy(), lengths)
        parts.append(marginal_gains(ranked, keyword_counts(share, lengths)))
        tokens += int(lengths.sum())
    gains = MarginalGains(
        np.concatenate([part.min_counts for part in parts]),
        np.concatenate([part.gains for part in parts]),
    )
    threshold = threshold_for(gains, share * tokens)
    return threshold, int(gains.counts_above(threshold).sum()) / max(1, tokens)


def _case_marks(split: Split, sentences: int) -> list[list[str]]:
    """Return the sentences of a split with every token but the case marks left blank."""
    rows = (split[index] for index in range(min(sentences, len(split))))
    return [[SHIFT if token == SHIFT_ID else "" for token in row.tolist()] for row in rows]
