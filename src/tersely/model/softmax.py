"""The softmax over the vocabulary in NumPy, full or adaptive, as game/softmax.py trains it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.model.layers import SoftmaxShape, softmax_tensors
from tersely.model.lstm import Floats, log_softmax


@dataclass(frozen=True, slots=True)
class VocabularySoftmax:
    """Scores every word; clusters of rarer words, where there are any, through fewer units."""

    head: Floats  # (units, words of the head and clusters)
    bias: Floats | None
    tails: tuple[tuple[Floats, Floats], ...]  # (units, inner) and (inner, words) a cluster
    head_words: int

    @classmethod
    def load(
        cls, tensors: Mapping[str, npt.NDArray[Any]], shape: SoftmaxShape
    ) -> "VocabularySoftmax":
        """Take a model's weights."""
        names = [name for name in softmax_tensors(shape) if name.endswith("weight")]
        head, *rest = (np.ascontiguousarray(tensors[name].T) for name in names)
        cutoffs = shape.adaptive_cutoffs
        return cls(
            head=head,
            bias=tensors.get("decoder.softmax.output.bias"),
            tails=tuple(zip(rest[::2], rest[1::2], strict=True)),
            head_words=cutoffs[0] if cutoffs else shape.vocabulary_size,
        )

    def log_probabilities(self, spoken: Floats) -> Floats:
        """Map (rows, units) to log p of each word: (rows, vocabulary)."""
        scores = spoken @ self.head
        if self.bias is not None:
            scores += self.bias
        head = log_softmax(scores)
        parts: list[Floats] = [head[:, : self.head_words]]
        for index, (inner, outer) in enumerate(self.tails):
            narrow: Floats = spoken @ inner  # (rows, inner)
            tail = log_softmax(np.matmul(narrow, outer, dtype=np.float32))
            parts.append(head[:, self.head_words + index, None] + tail)
        return np.concatenate(parts, axis=1) if self.tails else parts[0]
