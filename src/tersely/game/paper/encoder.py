"""Encoder q(z|x): the probability that each token of a sentence is kept.

A forward LSTM reads the sentence, and a linear layer maps each state to the logit of a keep
probability. Tokens are kept or dropped independently (paper, section 2 and appendix C).
Sampling masks and estimating the gradient is the job of estimator.py.
"""

import math

import torch
from torch import Tensor, nn

from tersely.game.batch import fold_unknown
from tersely.game.layers.lstm import PackedLstm
from tersely.game.layers.packing import packed_layout, scatter_rows


class Encoder(nn.Module):
    """Maps a sentence to the keep logit of each token."""

    def __init__(self, *, vocabulary_size: int, embedding_units: int, units: int) -> None:
        super().__init__()
        self.vocabulary_size = vocabulary_size
        self.embedding = nn.Embedding(vocabulary_size, embedding_units)
        self.lstm = PackedLstm(embedding_units, units)
        self.keep = nn.Linear(units, 1)

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        """Map tokens (batch, time) with lengths (batch,) to keep logits (batch, time)."""
        layout = packed_layout(lengths.clamp(min=1), tokens.shape[1])
        ids = fold_unknown(tokens.flatten()[layout.positions], self.vocabulary_size)
        states = self.lstm(self.embedding(ids), layout, initial=None)  # (all tokens, units)
        logits = scatter_rows(self.keep(states).squeeze(1), layout.positions, tokens.numel())
        return logits.view(tokens.shape)

    def set_keep_probability(self, probability: float) -> None:
        """Set the bias so that an untrained encoder keeps about this share of the tokens."""
        with torch.no_grad():
            self.keep.bias.fill_(math.log(probability) - math.log1p(-probability))
