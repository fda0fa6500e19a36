"""Estimator: the gradient of the expected penalised cost in the encoder, from sampled masks.

REINFORCE (Williams 1992): the mean of (G − baseline) ∇ log q(z|x). A baseline that does not
depend on the mask leaves the expectation unchanged and reduces the variance.
"""

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from tersely.game.batch import length_mask


@dataclass(frozen=True, slots=True)
class MaskSample:
    """Masks sampled from q, with their log-probability and the entropy of q."""

    keep: Tensor  # (samples × batch, time), bool
    log_q: Tensor  # (samples × batch,)
    entropy: Tensor  # (batch,): nats per sentence


def floor_logits(logits: Tensor, floor: float) -> Tensor:
    """Restrict keep probabilities to [floor, 1 − floor]; logits in, logits out."""
    if floor == 0:
        return logits
    probabilities = floor + (1 - 2 * floor) * logits.sigmoid()
    return probabilities.log() - (1 - probabilities).log()


def sample_masks(
    logits: Tensor, lengths: Tensor, *, samples: int, generator: torch.Generator
) -> MaskSample:
    """Sample independent masks for each sentence; logits (batch, time)."""
    mask = length_mask(lengths, logits.shape[1])
    probabilities = logits.detach().sigmoid().repeat(samples, 1)
    uniform = torch.rand(probabilities.shape, generator=generator, dtype=torch.float64)
    keep = (uniform < probabilities) & mask.repeat(samples, 1)
    log_keep, log_drop = logsigmoid(logits), logsigmoid(-logits)
    log_chosen = torch.where(keep, log_keep.repeat(samples, 1), log_drop.repeat(samples, 1))
    log_q = log_chosen.masked_fill(~mask.repeat(samples, 1), 0.0).sum(dim=1)
    entropy = -(logits.sigmoid() * log_keep + (-logits).sigmoid() * log_drop)
    return MaskSample(keep, log_q, entropy.masked_fill(~mask, 0.0).sum(dim=1))


def policy_loss(log_q: Tensor, penalised_costs: Tensor, baseline: Tensor) -> Tensor:
    """Return a scalar whose gradient is the REINFORCE estimate."""
    return (log_q * (penalised_costs - baseline).detach()).mean()


class Baseline(Protocol):
    """Predicts the penalised cost of a sentence independently of its mask."""

    def predict(self, penalised_costs: Tensor, samples: int) -> Tensor:
        """Return the baseline of each penalised cost (samples × batch,), then learn from them."""

    def state_dict(self) -> dict[str, float]:
        """Return the state that a checkpoint keeps."""

    def load_state_dict(self, state: dict[str, float]) -> None:
        """Restore the state of a checkpoint."""


class MovingAverage:
    """The exponential moving average of past batches' mean penalised costs (paper, section 2)."""

    def __init__(self, decay: float) -> None:
        self._decay = decay
        self._average: float | None = None

    def predict(self, penalised_costs: Tensor, samples: int) -> Tensor:
        """Return the average so far; the first batch initializes it."""
        mean = float(penalised_costs.mean())
        average = mean if self._average is None else self._average
        self._average = self._decay * average + (1 - self._decay) * mean
        return torch.full_like(penalised_costs, average)

    def state_dict(self) -> dict[str, float]:
        """Return the average; nothing before the first batch."""
        return {} if self._average is None else {"value": self._average}

    def load_state_dict(self, state: dict[str, float]) -> None:
        """Restore the average."""
        self._average = state.get("value")


class LeaveOneOut:
    """The mean penalised cost of the same sentence's other samples (Kool et al. 2019)."""

    def predict(self, penalised_costs: Tensor, samples: int) -> Tensor:
        """Return for each sample the mean over the other samples of its sentence."""
        rows = penalised_costs.view(samples, -1)  # (samples, batch)
        return ((rows.sum(dim=0) - rows) / (samples - 1)).flatten()

    def state_dict(self) -> dict[str, float]:
        """Return nothing: this baseline has no state."""
        return {}

    def load_state_dict(self, state: dict[str, float]) -> None:
        """Do nothing: this baseline has no state."""
