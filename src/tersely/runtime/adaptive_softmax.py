"""The softmax over the vocabulary in NumPy, full or adaptive, as game/layers/softmax.py trains it."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.model.layers import SoftmaxShape, softmax_tensors
from tersely.runtime.kernels.chosen import Matrix, log_softmax
from tersely.runtime.lstm import Floats


@dataclass(frozen=True, slots=True)
class VocabularySoftmax:
    """Scores every word; clusters of rarer words, where there are any, through fewer units."""

    head: Matrix  # (units, words of the head and clusters)
    bias: Floats | None
    tails: tuple[tuple[Matrix, Matrix], ...]  # (units, inner) and (inner, words) a cluster
    starts: tuple[int, ...]  # where each cluster begins
    words: int

    @classmethod
    def load(
        cls, tensors: Mapping[str, npt.NDArray[Any]], shape: SoftmaxShape
    ) -> "VocabularySoftmax":
        """Take a model's weights."""
        names = [name for name in softmax_tensors(shape) if name.endswith("weight")]
        head, *rest = (Matrix(tensors[name]) for name in names)
        return cls(
            head=head,
            bias=tensors.get("decoder.softmax.output.bias"),
            tails=tuple(zip(rest[::2], rest[1::2], strict=True)),
            starts=shape.adaptive_cutoffs,
            words=shape.vocabulary_size,
        )

    @property
    def clusters(self) -> list[tuple[int, int]]:
        """Where each cluster begins, and where it ends."""
        return list(pairwise([*self.starts, self.words]))

    @property
    def head_words(self) -> int:
        """How many words the head scores by itself."""
        return self.starts[0] if self.starts else self.words

    def head_scores(self, spoken: Floats) -> Floats:
        """Map (rows, units) to scores of frequent words and of each cluster, not yet normalised."""
        scores = self.head.times(spoken)
        if self.bias is not None:
            scores += self.bias
        return scores

    def tail_scores(self, spoken: Floats, cluster: int) -> Floats:
        """Map (rows, units) to scores of a cluster's words, not yet normalised."""
        inner, outer = self.tails[cluster]
        return outer.times(inner.times(spoken))

    def log_probabilities(self, spoken: Floats) -> Floats:
        """Map (rows, units) to log p of each word: (rows, vocabulary)."""
        head = log_softmax(self.head_scores(spoken))
        parts = [head[:, : self.head_words]]
        for index in range(len(self.tails)):
            share = head[:, self.head_words + index, None]
            parts.append(share + log_softmax(self.tail_scores(spoken, index)))
        return np.concatenate(parts, axis=1) if self.tails else parts[0]
