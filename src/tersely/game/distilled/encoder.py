"""The surprisal encoder: what each word would cost the decoder, typed or left out.

A bidirectional LSTM over the sentence, told the budget, predicts for each token the
decoder's loss there if it is dropped (it must be generated) and if it is kept (it must be
placed at the right moment). Their difference is what typing the word is worth; the words
worth most are the keywords. The targets are the decoder's own losses:
no policy gradient.
"""

import torch
from torch import Tensor, nn

from tersely.game.distilled.masks import within_vocabulary
from tersely.game.layers.lstm import TwoWayLstm
from tersely.game.layers.packing import layout_of, spread
from tersely.model.shapes import MonotoneShape

DROPPED, KEPT = 0, 1


class SurprisalEncoder(nn.Module):
    """Maps a sentence and a budget to two losses a token."""

    def __init__(self, shape: MonotoneShape) -> None:
        super().__init__()
        self.vocabulary_size = shape.vocabulary_size
        self.embedding = nn.Embedding(shape.vocabulary_size, shape.encoder_embedding_units)
        self.lstm = TwoWayLstm(shape.encoder_inputs, shape.encoder_units_a_direction)
        self.costs = nn.Linear(2 * shape.encoder_units_a_direction, 2)

    def forward(self, tokens: Tensor, lengths: Tensor, told: Tensor) -> Tensor:
        """Map tokens (batch, time) and told (batch, ENCODER_FEATURES) to nats (batch, time, 2)."""
        layout = layout_of(lengths.clamp(min=1), tokens.shape[1])
        known = within_vocabulary(tokens.flatten()[layout.places], self.vocabulary_size)
        rows = layout.places.div(tokens.shape[1], rounding_mode="floor")
        vectors = torch.cat([self.embedding(known), told[rows]], dim=1)
        states, _ = self.lstm(vectors, layout)  # (all tokens, 2 × units)
        return spread(self.costs(states), layout.places, tokens.numel()).view(*tokens.shape, 2)
