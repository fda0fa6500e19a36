"""The table of phrases (model/phrases.py) in training.

Few of its rows are met in a batch, so its gradient is sparse: a step costs what it touches,
however large the table is. It starts from zeros, where it says nothing.
"""

import torch
from torch import Tensor, nn

from tersely.model.monotone_shape import MonotoneShape
from tersely.model.phrases import PHRASES, rows_of


class PhraseTable(nn.Module):
    """Maps the words around a gap to what they add to the decoder's state."""

    def __init__(self, shape: MonotoneShape) -> None:
        super().__init__()
        self.rows = shape.phrase_rows
        count = len(PHRASES)
        self.table = nn.Embedding(count * self.rows, shape.phrase_units, sparse=True)
        self.output = nn.Linear(count * shape.phrase_units, shape.decoder_units, bias=False)
        self.clear()

    def clear(self) -> None:
        """Forget every phrase."""
        nn.init.zeros_(self.table.weight)

    def forward(self, words: Tensor) -> Tensor:
        """Map words (all tokens, 4) to (all tokens, decoder)."""
        rows = torch.from_numpy(rows_of(words.numpy(), self.rows))  # (all tokens, phrases)
        added: Tensor = self.output(self.table(rows).flatten(1))
        return added
