"""The surprisal encoder: predicts the decoder's loss at each token, dropped or kept.

A bidirectional LSTM over the sentence, conditioned on the budget, predicts for each token the
decoder's loss there if the token is dropped (it must be generated) and if it is kept (it must be
placed at the right step). The difference is the token's value; the tokens of highest value are
the keywords. The targets are the decoder's losses, so no policy gradient is needed.
"""

import torch
from torch import Tensor, nn

from tersely.game.batch import fold_unknown
from tersely.game.layers.lstm import BidirectionalLstm
from tersely.game.layers.packing import packed_layout, scatter_rows
from tersely.model.shapes import MonotoneShape


class SurprisalEncoder(nn.Module):
    """Maps a sentence and a budget to two losses per token."""

    def __init__(self, shape: MonotoneShape) -> None:
        super().__init__()
        self.vocabulary_size = shape.vocabulary_size
        self.embedding = nn.Embedding(shape.vocabulary_size, shape.encoder_embedding_units)
        self.lstm = BidirectionalLstm(shape.encoder_inputs, shape.encoder_units_a_direction)
        self.costs = nn.Linear(2 * shape.encoder_units_a_direction, 2)

    def forward(self, tokens: Tensor, lengths: Tensor, budget_features: Tensor) -> Tensor:
        """Return the predicted losses in nats, DROPPED and KEPT: (batch, time, 2).

        tokens (batch, time), lengths (batch,), budget_features (batch, ENCODER_FEATURES).
        """
        layout = packed_layout(lengths.clamp(min=1), tokens.shape[1])
        ids = fold_unknown(tokens.flatten()[layout.positions], self.vocabulary_size)
        rows = layout.positions.div(tokens.shape[1], rounding_mode="floor")
        vectors = torch.cat([self.embedding(ids), budget_features[rows]], dim=1)
        states, _ = self.lstm(vectors, layout)  # (all tokens, 2 × units)
        losses = scatter_rows(self.costs(states), layout.positions, tokens.numel())
        return losses.view(*tokens.shape, 2)
