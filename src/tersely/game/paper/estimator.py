"""Estimator: the gradient of the expected reward in the encoder, from sampled masks.

REINFORCE (Williams 1992): the mean of (G − baseline) ∇ log q(z|x). A baseline that
does not depend on the mask leaves the mean alone and takes variance away.
"""

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from tersely.game.distilled.masks import inside


@dataclass(frozen=True, slots=True)
class Draw:
    """Masks drawn from q, and what is known of them."""

    keep: Tensor  # (samples × batch, time), bool
    log_q: Tensor  # (samples × batch,)
    entropy: Tensor  # (batch,): nats a sentence


def keep_log_odds(logits: Tensor, floor: float) -> Tensor:
    """Hold keep probabilities within [floor, 1 − floor], as logits."""
    if floor == 0:
        return logits
    kept = floor + (1 - 2 * floor) * logits.sigmoid()
    return kept.log() - (1 - kept).log()


def draw_masks(
    logits: Tensor, lengths: Tensor, *, samples: int, generator: torch.Generator
) -> Draw:
    """Draw independent masks for each sentence; logits (batch, time)."""
    here = inside(lengths, logits.shape[1])
    chance = logits.detach().sigmoid().repeat(samples, 1)
    uniform = torch.rand(chance.shape, generator=generator, dtype=torch.float64)
    keep = (uniform < chance) & here.repeat(samples, 1)
    log_keep, log_drop = logsigmoid(logits), logsigmoid(-logits)
    chosen = torch.where(keep, log_keep.repeat(samples, 1), log_drop.repeat(samples, 1))
    log_q = chosen.masked_fill(~here.repeat(samples, 1), 0.0).sum(dim=1)
    entropy = -(logits.sigmoid() * log_keep + (-logits).sigmoid() * log_drop)
    return Draw(keep, log_q, entropy.masked_fill(~here, 0.0).sum(dim=1))


def policy_loss(log_q: Tensor, rewards: Tensor, baseline: Tensor) -> Tensor:
    """A scalar whose gradient is the REINFORCE estimate."""
    return (log_q * (rewards - baseline).detach()).mean()


class Baseline(Protocol):
    """Predicts the reward before the mask is known."""

    def before(self, rewards: Tensor, samples: int) -> Tensor:
        """Return what to subtract from each reward (samples × batch,), then learn from them."""

    def state(self) -> dict[str, float]:
        """What a checkpoint must keep."""

    def restore(self, state: dict[str, float]) -> None:
        """Take up where a checkpoint left off."""


class MovingAverage:
    """The mean reward of past batches, older ones fading (paper, section 2)."""

    def __init__(self, decay: float) -> None:
        self._decay = decay
        self._value: float | None = None

    def before(self, rewards: Tensor, samples: int) -> Tensor:
        """Return the average so far; the first batch starts it."""
        mean = float(rewards.mean())
        value = mean if self._value is None else self._value
        self._value = self._decay * value + (1 - self._decay) * mean
        return torch.full_like(rewards, value)

    def state(self) -> dict[str, float]:
        """Return the average, if there is one yet."""
        return {} if self._value is None else {"value": self._value}

    def restore(self, state: dict[str, float]) -> None:
        """Set the average."""
        self._value = state.get("value")


class LeaveOneOut:
    """The mean reward of the same sentence's other samples (Kool et al. 2019)."""

    def before(self, rewards: Tensor, samples: int) -> Tensor:
        """Return for each sample the mean of the others of its sentence."""
        rows = rewards.view(samples, -1)  # (samples, batch)
        return ((rows.sum(dim=0) - rows) / (samples - 1)).flatten()

    def state(self) -> dict[str, float]:
        """Nothing is kept between rounds."""
        return {}

    def restore(self, state: dict[str, float]) -> None:
        """Nothing to restore."""
