"""Next words that are all scored beforehand: what search needs of a model, and no more."""

from dataclasses import dataclass

import numpy as np

from tersely.runtime.kernels.plain import Floats, Ids, top
from tersely.runtime.next_token import Rivals


@dataclass(frozen=True, slots=True)
class AllScores:
    """Log-probabilities of every word."""

    scores: Floats  # (rows, width)

    def best(self, count: int, rivals: Rivals | None = None) -> tuple[Ids, Floats]:
        return top(self.scores, count)

    def of(self, words: Ids) -> Floats:
        return self.scores[np.arange(len(words)), words]

    def all(self) -> Floats:
        return self.scores
