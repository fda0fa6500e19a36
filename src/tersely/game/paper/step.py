"""Training steps of the paper's game: sentences in, a loss to differentiate and metrics out.

A learned encoder samples masks and is updated by REINFORCE (estimator.py); its decoder is
trained by maximum likelihood on the same masks. With a rule encoder (rules.py) only the decoder
is trained.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from tersely.game.batch import Batch, length_mask
from tersely.game.paper.estimator import Baseline, floor_logits, policy_loss, sample_masks
from tersely.game.paper.objective import Objective
from tersely.game.paper.rules import MaskRule
from tersely.game.paper.scheme import PaperScheme
from tersely.game.step import StepMetrics, step_metrics


@dataclass(frozen=True, slots=True)
class PolicyGradientStep:
    """Trains encoder and decoder together."""

    objective: Objective
    baseline: Baseline
    samples: int
    exploration_floor: float
    entropy_bonus: float  # tokens per nat
    logit_penalty: float  # tokens per squared logit
    scale_decoder_by_multiplier: bool

    def compute_loss(
        self, scheme: PaperScheme, batch: Batch, generator: torch.Generator
    ) -> tuple[Tensor, StepMetrics]:
        """Return the scalar to minimise and the metrics of the step."""
        logits = scheme.encoder(batch.tokens, batch.lengths)
        sample = sample_masks(
            floor_logits(logits, self.exploration_floor),
            batch.lengths,
            samples=self.samples,
            generator=generator,
        )
        repeated = batch.repeat(self.samples)
        decoder_loss = scheme.loss_per_token(repeated, sample.keep)  # (samples × batch,)
        cost = sample.keep.sum(dim=1).float()
        penalised_costs = self.objective.penalised_costs(cost, decoder_loss.detach())
        baseline = self.baseline.predict(penalised_costs, self.samples)
        decoder_weight = self.objective.multiplier if self.scale_decoder_by_multiplier else 1.0
        loss = (
            policy_loss(sample.log_q, penalised_costs, baseline)
            + decoder_weight * decoder_loss.mean()
            - self.entropy_bonus * sample.entropy.mean()
            + self.logit_penalty * _sum_of_squares(logits, batch.lengths)
        )
        entropy = float(sample.entropy.detach().sum() / batch.lengths.sum())
        return loss, step_metrics(repeated, sample.keep, decoder_loss, entropy)

    def update_objective(self, metrics: StepMetrics) -> None:
        """Update λ."""
        self.objective.update(metrics.loss_nats_a_token)


@dataclass(frozen=True, slots=True)
class RuleStep:
    """Trains the decoder on masks drawn by a rule."""

    rule: MaskRule

    def compute_loss(
        self, scheme: PaperScheme, batch: Batch, generator: torch.Generator
    ) -> tuple[Tensor, StepMetrics]:
        """Return the scalar to minimise and the metrics of the step."""
        keep = self.rule(batch, generator) & length_mask(batch.lengths, batch.tokens.shape[1])
        loss = scheme.loss_per_token(batch, keep)
        return loss.mean(), step_metrics(batch, keep, loss, 0.0)

    def update_objective(self, metrics: StepMetrics) -> None:
        """Do nothing: a rule has no λ."""


def _sum_of_squares(logits: Tensor, lengths: Tensor) -> Tensor:
    """Return the sum of a sentence's squared logits, averaged over sentences."""
    mask = length_mask(lengths, logits.shape[1])
    return logits.masked_fill(~mask, 0.0).square().sum(dim=1).mean()
