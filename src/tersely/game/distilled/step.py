"""The training step of a monotone scheme: masks train the decoder, its losses the encoder.

The decoder is trained by maximum likelihood on the masks of masks.py. The encoder is trained by
squared error to predict the decoder's loss at every token. No gradient is estimated by sampling.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from tersely.game.batch import Batch, length_mask
from tersely.game.distilled.masks import MAX_LOSS_NATS, MaskSampler
from tersely.game.distilled.scheme import MonotoneScheme
from tersely.game.step import StepMetrics, step_metrics
from tersely.selection.budget import DROPPED, KEPT


@dataclass(frozen=True, slots=True)
class DistillationStep:
    """Trains encoder and decoder for all budgets at once."""

    masks: MaskSampler

    def compute_loss(
        self, scheme: MonotoneScheme, batch: Batch, generator: torch.Generator
    ) -> tuple[Tensor, StepMetrics]:
        """Return the scalar to minimise and the metrics of the step."""
        sample = self.masks.sample(scheme, batch, generator)
        losses, alignment = scheme.token_losses(
            batch, sample.keep, sample.budgets, sample.on_average
        )
        mask = length_mask(batch.lengths, batch.tokens.shape[1])
        kept = alignment.is_placed[:, :-1] & mask
        decoder_loss = losses.sum() / (batch.lengths + 1).sum()
        encoder_loss = _prediction_error(
            sample.predicted_losses, losses.detach()[:, :-1], kept, mask & ~sample.by_rule[:, None]
        )
        loss_per_token = losses.sum(dim=1) / (batch.lengths + 1)
        return decoder_loss + encoder_loss, step_metrics(batch, kept, loss_per_token, 0.0)


def _prediction_error(
    predicted_losses: Tensor, losses: Tensor, kept: Tensor, mask: Tensor
) -> Tensor:
    """Return the mean squared error of predicted losses (batch, time, 2) where `mask` is set.

    losses, kept, mask (batch, time).
    """
    predicted = torch.where(kept, predicted_losses[..., KEPT], predicted_losses[..., DROPPED])
    error = (predicted - losses.clamp(max=MAX_LOSS_NATS)).square()
    return error.masked_fill(~mask, 0.0).sum() / mask.sum().clamp(min=1)
