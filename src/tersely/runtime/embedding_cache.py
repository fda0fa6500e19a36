"""What a word adds to a decoder's gates: a product that is the same whenever the word is said.

A beam says the same words again and again, so for few rows the products are kept, up to a
bound; many rows at once are multiplied as cheaply.
"""

import numpy as np

from tersely.runtime.arrays import Ids
from tersely.runtime.kernels.chosen import Matrix
from tersely.runtime.lstm import Floats

FEW = 12  # rows
MOST_KEPT = 4096  # words; at 256 units 16 MB


class ProjectedWords:
    """Embeddings times the part of a decoder's input matrix that words meet."""

    def __init__(self, embedding: Floats, inputs: Matrix) -> None:
        self._embedding, self.inputs = embedding, inputs
        self._kept: dict[int, Floats] = {}

    def projected(self, words: Ids, onto: Floats) -> Floats:
        """Map ids (rows,) to (rows, 4 × units), added to something; that may be overwritten."""
        if len(words) > FEW:
            return self.inputs.times(self._embedding.take(words, axis=0), onto)
        rows = np.empty((len(words), self.inputs.shape[1]), np.float32)
        for place, word in enumerate(words.tolist()):
            kept = self._kept.get(word)
            rows[place] = self._keep(word) if kept is None else kept
        rows += onto
        return rows

    def _keep(self, word: int) -> Floats:
        found: Floats = self.inputs.times(self._embedding[word : word + 1])[0]
        if len(self._kept) < MOST_KEPT:
            self._kept[word] = found
        return found
