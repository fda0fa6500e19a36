"""Evaluation on dev sentences during training: tokens kept and decoder loss."""

from collections.abc import Callable

import torch
from torch import Tensor

from tersely.corpus.dataset import Split
from tersely.game.batch import Batch
from tersely.training.batches import sequential_batches

BATCH_SENTENCES = 256
MASK_SEED = 20_191_119  # every evaluation draws the same masks, so that figures are comparable

MaskAndLoss = Callable[[Batch], tuple[Tensor, Tensor]]
"""Maps a batch to masks (batch, time) and losses in nats, of any shape."""


@torch.no_grad()
def evaluate(split: Split, sentences: int, mask_and_loss: MaskAndLoss) -> dict[str, float]:
    """Evaluate the first sentences of a split; fractions are pooled over tokens."""
    kept = tokens = count = 0
    loss = 0.0
    for batch in sequential_batches(split, batch_size=BATCH_SENTENCES, limit=sentences):
        keep, losses = mask_and_loss(batch)
        loss += float(losses.sum())
        kept += int(keep.sum())
        tokens += int(batch.lengths.sum())
        count += len(batch.lengths)
    return {
        "kept_fraction": kept / max(1, tokens),
        "cost_tokens": kept / max(1, count),
        "loss_nats_a_token": loss / max(1, tokens + count),
    }
