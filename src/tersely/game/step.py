"""The metrics of a training step of the game, the same for every scheme."""

from dataclasses import dataclass

from torch import Tensor

from tersely.game.batch import Batch


@dataclass(frozen=True, slots=True)
class StepMetrics:
    """Averages over the sentences of a training step."""

    loss_nats_a_token: float
    cost_tokens: float
    kept_fraction: float  # pooled: all kept tokens over all tokens
    entropy_nats_a_token: float
    tokens: int  # with end marks


def step_metrics(batch: Batch, keep: Tensor, loss: Tensor, entropy: float) -> StepMetrics:
    """Summarise masks (batch, time) and losses in nats per token (batch,)."""
    kept, total = int(keep.sum()), int(batch.lengths.sum())
    return StepMetrics(
        loss_nats_a_token=float(loss.detach().mean()),
        cost_tokens=kept / len(batch.lengths),
        kept_fraction=kept / max(1, total),
        entropy_nats_a_token=entropy,
        tokens=total + len(batch.lengths),
    )
