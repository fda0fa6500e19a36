"""The softmax over the vocabulary in NumPy, full or adaptive; game/layers/softmax.py trains it.

The adaptive softmax (Grave et al. 2017, https://arxiv.org/abs/1609.04309) scores frequent tokens
in its head, and clusters of rarer tokens in tails of fewer units.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np

from tersely.model.quantization import Tensor, dequantize
from tersely.model.shapes import SoftmaxShape, softmax_tensors
from tersely.runtime.arrays import Floats
from tersely.runtime.kernels.backend import Matrix, log_softmax


@dataclass(frozen=True, slots=True)
class VocabularySoftmax:
    """Scores every token of the vocabulary; without tails it is a full softmax."""

    head: Matrix  # (units, frequent tokens + clusters)
    bias: Floats | None
    tails: tuple[tuple[Matrix, Matrix], ...]  # (units, inner) and (inner, tokens) per cluster
    cutoffs: tuple[int, ...]  # first id of each cluster
    tokens: int

    @classmethod
    def load(cls, tensors: Mapping[str, Tensor], shape: SoftmaxShape) -> Self:
        """Take a model's weights."""
        names = [name for name in softmax_tensors(shape) if name.endswith("weight")]
        head, *tails = (Matrix(tensors[name]) for name in names)
        bias = tensors.get("decoder.softmax.output.bias")
        return cls(
            head=head,
            bias=None if bias is None else dequantize(bias),
            tails=tuple(zip(tails[::2], tails[1::2], strict=True)),
            cutoffs=shape.adaptive_cutoffs,
            tokens=shape.vocabulary_size,
        )

    @property
    def clusters(self) -> list[tuple[int, int]]:
        """Return the first id of each cluster, and the id after its last."""
        return list(pairwise([*self.cutoffs, self.tokens]))

    @property
    def head_tokens(self) -> int:
        """Return how many tokens the head scores."""
        return self.cutoffs[0] if self.cutoffs else self.tokens

    def head_scores(self, hidden: Floats) -> Floats:
        """Map (rows, units) to scores of frequent tokens and of clusters, not normalised."""
        scores = self.head.matmul(hidden)
        if self.bias is not None:
            scores += self.bias
        return scores

    def tail_scores(self, hidden: Floats, cluster: int) -> Floats:
        """Map (rows, units) to scores of a cluster's tokens, not normalised."""
        inner, outer = self.tails[cluster]
        return outer.matmul(inner.matmul(hidden))

    def log_probs(self, hidden: Floats) -> Floats:
        """Map (rows, units) to the log-probability of every token: (rows, vocabulary)."""
        head = log_softmax(self.head_scores(hidden))
        parts = [head[:, : self.head_tokens]]
        for index in range(len(self.tails)):
            cluster = head[:, self.head_tokens + index, None]
            parts.append(cluster + log_softmax(self.tail_scores(hidden, index)))
        return np.concatenate(parts, axis=1) if self.tails else parts[0]
