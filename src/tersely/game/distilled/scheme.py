"""A scheme with a budget: surprisal encoder and monotone decoder, for all budgets at once."""

import numpy as np
import torch
from torch import Tensor, nn

from tersely.game.alignment import Placement, place_leftmost
from tersely.game.batches import Batch
from tersely.game.distilled.decoder import MonotoneDecoder
from tersely.game.distilled.encoder import DROPPED, KEPT, SurprisalEncoder
from tersely.game.distilled.masks import inside
from tersely.model.budget_features import decoder_features, encoder_features
from tersely.model.shapes import MonotoneShape
from tersely.selection.budget import Allocation
from tersely.text.vocabulary import SHIFT_ID


class MonotoneScheme(nn.Module):
    """Encoder and decoder of one shape, both told the budget."""

    def __init__(self, shape: MonotoneShape, *, types_marks: bool = False) -> None:
        super().__init__()
        self.shape = shape
        self.types_marks = types_marks
        self.encoder = SurprisalEncoder(shape)
        self.decoder = MonotoneDecoder(shape)

    def start_uniform(self, width: float, generator: torch.Generator) -> None:
        """Draw all parameters from U(−width, width)."""
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.uniform_(-width, width, generator=generator)

    def costs(self, batch: Batch, budgets: Tensor) -> Tensor:
        """What each token costs, left out or typed, at budgets (batch,): (batch, time, 2)."""
        found: Tensor = self.encoder(
            batch.tokens, batch.lengths, torch.from_numpy(encoder_features(budgets.numpy()))
        )
        return found

    def excepted(self, batch: Batch, worth: Tensor) -> Tensor:
        """Worth (batch, time), infinite for words outside the vocabulary: they can only be copied.

        Unless case marks are typed, none is, even where the budget would allow it: −∞.
        """
        worth = worth.masked_fill(batch.tokens >= self.shape.vocabulary_size, torch.inf)
        free = inside(batch.lengths, worth.shape[1])
        if not self.types_marks:
            free = free & (batch.tokens != SHIFT_ID)
        return worth.masked_fill(~free, -torch.inf)

    def keep_most_worthy(self, batch: Batch, worth: Tensor, counts: Tensor) -> Tensor:
        """Keep so many tokens of each sentence (batch,), those of most worth: (batch, time)."""
        worth = self.excepted(batch, worth)
        rank = worth.argsort(dim=1, descending=True, stable=True).argsort(dim=1)
        return (rank < counts[:, None]) & (worth > -torch.inf)

    def choose(self, batch: Batch, allocation: Allocation) -> Tensor:
        """The mask that a user who spends so would type: (batch, time)."""
        budgets = torch.full((len(batch.lengths),), allocation.share, dtype=torch.float64)
        costs = self.costs(batch, budgets).detach()
        worths = worth(costs)
        excepted = self.excepted(batch, worths).numpy()
        counts = allocation.counts(excepted, costs.numpy(), batch.lengths.numpy())
        return self.keep_most_worthy(batch, worths, torch.from_numpy(counts))

    def token_losses(
        self, batch: Batch, keep: Tensor, budgets: Tensor, freely: Tensor | bool = False
    ) -> tuple[Tensor, Placement]:
        """Return −log p of each token (batch, time + 1), and where the keywords stand.

        The decoder is told the budgets (batch,), but for those that are NaN, and the lengths
        they imply, but for those that are spent freely.
        """
        placed = place_leftmost(batch, keep)
        told = decoder_features(
            budgets.numpy(), (placed.counts - 1).numpy(), on_average=np.asarray(freely)
        )
        log_probabilities: Tensor = self.decoder(batch, placed, torch.from_numpy(told))
        return -log_probabilities, placed


def worth(costs: Tensor) -> Tensor:
    """What typing each token saves: (batch, time)."""
    return costs[..., DROPPED] - costs[..., KEPT]
