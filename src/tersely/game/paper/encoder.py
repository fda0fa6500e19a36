"""Encoder q(z|x): how likely each token of a sentence is kept.

A one-directional LSTM reads the sentence; a linear layer turns each state into the
logit of a keep probability; tokens are kept or dropped independently (paper, section
2 and appendix C). Drawing masks and learning from them is estimator.py's job.
"""

import math

import torch
from torch import Tensor, nn

from tersely.game.distilled.masks import within_vocabulary
from tersely.game.layers.lstm import PackedLstm
from tersely.game.layers.packing import layout_of, spread


class Encoder(nn.Module):
    """Reads a sentence, returns the logit of keeping each token."""

    def __init__(self, *, vocabulary_size: int, embedding_units: int, units: int) -> None:
        super().__init__()
        self.vocabulary_size = vocabulary_size
        self.embedding = nn.Embedding(vocabulary_size, embedding_units)
        self.lstm = PackedLstm(embedding_units, units)
        self.keep = nn.Linear(units, 1)

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        """Map tokens (batch, time) with lengths (batch,) to keep logits (batch, time)."""
        layout = layout_of(lengths.clamp(min=1), tokens.shape[1])
        known = within_vocabulary(tokens.flatten()[layout.places], self.vocabulary_size)
        states = self.lstm(self.embedding(known), layout, start=None)  # (all tokens, units)
        logits = spread(self.keep(states).squeeze(1), layout.places, tokens.numel())
        return logits.view(tokens.shape)

    def start_keeping(self, probability: float) -> None:
        """Set the bias so that an untrained encoder keeps this share of the tokens."""
        with torch.no_grad():
            self.keep.bias.fill_(math.log(probability) - math.log1p(-probability))
