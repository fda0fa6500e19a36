"""The monotone scheme: surprisal encoder and monotone decoder, for all budgets at once."""

import numpy as np
import torch
from torch import Tensor, nn

from tersely.game.batch import Batch, length_mask
from tersely.game.distilled.alignment import LeftmostAlignment, align_leftmost
from tersely.game.distilled.decoder import MonotoneDecoder
from tersely.game.distilled.encoder import SurprisalEncoder
from tersely.model.budget_features import decoder_features, encoder_features
from tersely.model.shapes import MonotoneShape
from tersely.selection.budget import DROPPED, KEPT, Allocation
from tersely.text.vocabulary import SHIFT_ID


class MonotoneScheme(nn.Module):
    """Encoder and decoder of one shape, both conditioned on the budget."""

    def __init__(self, shape: MonotoneShape, *, types_shift: bool = False) -> None:
        super().__init__()
        self.shape = shape
        self.types_shift = types_shift
        self.encoder = SurprisalEncoder(shape)
        self.decoder = MonotoneDecoder(shape)

    def initialize(self, initial_range: float, generator: torch.Generator) -> None:
        """Draw all parameters from U(−range, range)."""
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.uniform_(-initial_range, initial_range, generator=generator)

    def predict_losses(self, batch: Batch, budgets: Tensor) -> Tensor:
        """Predict each token's loss, dropped and kept, at budgets (batch,): (batch, time, 2)."""
        features = torch.from_numpy(encoder_features(budgets.numpy()))
        predicted_losses: Tensor = self.encoder(batch.tokens, batch.lengths, features)
        return predicted_losses

    def fix_special_values(self, batch: Batch, values: Tensor) -> Tensor:
        """Set the value of unknown words to ∞ and of tokens that are never typed to −∞.

        Unknown words can only be copied. Padding is never typed, and neither are case marks
        unless `types_shift` is set. Shapes (batch, time).
        """
        values = values.masked_fill(batch.tokens >= self.shape.vocabulary_size, torch.inf)
        can_be_typed = length_mask(batch.lengths, values.shape[1])
        if not self.types_shift:
            can_be_typed = can_be_typed & (batch.tokens != SHIFT_ID)
        return values.masked_fill(~can_be_typed, -torch.inf)

    def keep_top(self, batch: Batch, values: Tensor, counts: Tensor) -> Tensor:
        """Keep the `counts` (batch,) tokens of highest value in each sentence: (batch, time)."""
        values = self.fix_special_values(batch, values)
        rank = values.argsort(dim=1, descending=True, stable=True).argsort(dim=1)
        return (rank < counts[:, None]) & (values > -torch.inf)

    def masks(self, batch: Batch, allocation: Allocation) -> Tensor:
        """Return the masks of a user who types by this budget allocation: (batch, time)."""
        budgets = torch.full((len(batch.lengths),), allocation.share, dtype=torch.float64)
        predicted_losses = self.predict_losses(batch, budgets).detach()
        values = token_values(predicted_losses)
        masked = self.fix_special_values(batch, values).numpy()
        counts = allocation.counts(masked, predicted_losses.numpy(), batch.lengths.numpy())
        return self.keep_top(batch, values, torch.from_numpy(counts))

    def token_losses(
        self, batch: Batch, keep: Tensor, budgets: Tensor, on_average: Tensor | bool = False
    ) -> tuple[Tensor, LeftmostAlignment]:
        """Return −log p of each token (batch, time + 1), and the alignment of the keywords.

        The decoder is conditioned on budgets (batch,), NaN for none. Where a budget holds only
        on average, it implies no sentence length.
        """
        alignment = align_leftmost(batch, keep)
        features = decoder_features(
            budgets.numpy(), (alignment.counts - 1).numpy(), on_average=np.asarray(on_average)
        )
        log_probabilities: Tensor = self.decoder(batch, alignment, torch.from_numpy(features))
        return -log_probabilities, alignment


def token_values(predicted_losses: Tensor) -> Tensor:
    """Return how much typing each token lowers the predicted loss: (batch, time)."""
    return predicted_losses[..., DROPPED] - predicted_losses[..., KEPT]
