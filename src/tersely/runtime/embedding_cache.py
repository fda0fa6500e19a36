"""Embeddings of tokens, and a cache of their products with the decoder's input matrix.

A beam feeds the same tokens again and again. For few rows the products are cached, up to a
bound; for many rows at once the product is as cheap as the lookup.
"""

import numpy as np

from tersely.model.quantization import QuantizedTensor, Tensor
from tersely.runtime.arrays import Floats, Ids
from tersely.runtime.kernels.backend import Matrix

MAX_CACHED_ROWS = 12  # of a call
MAX_CACHED_TOKENS = 4096  # at 256 units 16 MB


class Embedding:
    """A table of token vectors; a quantised one is dequantised row by row, at lookup."""

    def __init__(self, weight: Tensor) -> None:
        self._weight = weight  # (vocabulary, units)

    def lookup(self, ids: Ids) -> Floats:
        """Map ids (...) to vectors (..., units)."""
        if not isinstance(self._weight, QuantizedTensor):
            return self._weight.take(ids, axis=0)
        scales = self._weight.scales.take(ids)[..., None]
        vectors: Floats = self._weight.values.take(ids, axis=0) * scales
        return vectors


class ProjectedEmbeddings:
    """Embeddings times the part of the decoder's input matrix that reads them."""

    def __init__(self, embedding: Embedding, inputs: Matrix) -> None:
        self._embedding, self.inputs = embedding, inputs
        self._cache: dict[int, Floats] = {}

    def project(self, ids: Ids, add_to: Floats) -> Floats:
        """Map ids (rows,) to (rows, 4 × units), plus `add_to`, which may be overwritten."""
        if len(ids) > MAX_CACHED_ROWS:
            return self.inputs.matmul(self._embedding.lookup(ids), add_to)
        rows = np.empty((len(ids), self.inputs.shape[1]), np.float32)
        for row, token in enumerate(ids.tolist()):
            projected = self._cache.get(token)
            rows[row] = self._project_token(token) if projected is None else projected
        rows += add_to
        return rows

    def _project_token(self, token: int) -> Floats:
        """Project one token; cache the product while there is room."""
        projected: Floats = self.inputs.matmul(self._embedding.lookup(np.array([token])))[0]
        if len(self._cache) < MAX_CACHED_TOKENS:
            self._cache[token] = projected
        return projected
