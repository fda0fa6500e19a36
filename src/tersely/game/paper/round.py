"""A round of the game: sentences in, gradients and figures out.

The learned schemes draw masks from the encoder and update it by REINFORCE; the rule
schemes (Unif, Stopword) draw masks by rule and train the decoder alone, by maximum
likelihood. Either way a round ends as one scalar to differentiate and one record.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from tersely.game.batches import Batch
from tersely.game.distilled.masks import inside
from tersely.game.paper.estimator import Baseline, draw_masks, keep_log_odds, policy_loss
from tersely.game.paper.objective import Objective
from tersely.game.paper.rules import MaskRule
from tersely.game.paper.scheme import Scheme


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """What happened in a round, averaged over its sentences."""

    loss_nats_a_token: float
    cost_tokens: float
    kept_fraction: float  # pooled: all kept tokens over all tokens
    entropy_nats_a_token: float
    tokens: int  # with end marks


@dataclass(frozen=True, slots=True)
class LearnedRound:
    """Plays the game with a learned encoder."""

    objective: Objective
    baseline: Baseline
    samples: int
    exploration_floor: float
    entropy_bonus: float  # tokens for a nat
    logit_penalty: float  # tokens for the square of a logit
    scale_decoder_by_weight: bool

    def play(
        self, scheme: Scheme, batch: Batch, generator: torch.Generator
    ) -> tuple[Tensor, RoundRecord]:
        """Return the scalar to minimise and what happened."""
        raw = scheme.encoder(batch.tokens, batch.lengths)
        logits = keep_log_odds(raw, self.exploration_floor)
        draw = draw_masks(logits, batch.lengths, samples=self.samples, generator=generator)
        repeated = batch.repeated(self.samples)
        loss = scheme.loss_per_token(repeated, draw.keep)  # (samples × batch,)
        cost = draw.keep.sum(dim=1).float()
        rewards = self.objective.reward(cost, loss.detach())
        before = self.baseline.before(rewards, self.samples)
        weight = self.objective.weight if self.scale_decoder_by_weight else 1.0
        scalar = (
            policy_loss(draw.log_q, rewards, before)
            + weight * loss.mean()
            - self.entropy_bonus * draw.entropy.mean()
            + self.logit_penalty * mean_square(raw, batch.lengths)
        )
        entropy = float(draw.entropy.detach().sum() / batch.lengths.sum())
        return scalar, record(repeated, draw.keep, loss, entropy)

    def finish(self, played: RoundRecord) -> None:
        """Let λ answer to the round."""
        self.objective.update(played.loss_nats_a_token)


@dataclass(frozen=True, slots=True)
class RuleRound:
    """Trains the decoder on masks drawn by rule."""

    rule: MaskRule

    def play(
        self, scheme: Scheme, batch: Batch, generator: torch.Generator
    ) -> tuple[Tensor, RoundRecord]:
        """Return the scalar to minimise and what happened."""
        keep = self.rule(batch, generator) & inside(batch.lengths, batch.tokens.shape[1])
        loss = scheme.loss_per_token(batch, keep)
        return loss.mean(), record(batch, keep, loss, 0.0)

    def finish(self, played: RoundRecord) -> None:
        """Nothing answers to the round."""


def mean_square(logits: Tensor, lengths: Tensor) -> Tensor:
    """The squares of a sentence's logits, summed; the mean over sentences."""
    here = inside(lengths, logits.shape[1])
    return logits.masked_fill(~here, 0.0).square().sum(dim=1).mean()


def record(batch: Batch, keep: Tensor, loss: Tensor, entropy: float) -> RoundRecord:
    """Sum a round up."""
    kept, total = int(keep.sum()), int(batch.lengths.sum())
    return RoundRecord(
        loss_nats_a_token=float(loss.detach().mean()),
        cost_tokens=kept / len(batch.lengths),
        kept_fraction=kept / max(1, total),
        entropy_nats_a_token=entropy,
        tokens=total + len(batch.lengths),
    )
