"""A next-token distribution with every log-probability given: all that search needs of a model."""

from dataclasses import dataclass

import numpy as np

from tersely.runtime.arrays import Floats, Ids
from tersely.runtime.kernels.numpy_backend import top_k
from tersely.runtime.next_token import PruningThreshold


@dataclass(frozen=True, slots=True)
class DenseNextTokenDistribution:
    """Log-probabilities of every id."""

    scores: Floats  # (rows, extended vocabulary)

    def top_k(self, k: int, threshold: PruningThreshold | None = None) -> tuple[Ids, Floats]:
        return top_k(self.scores, k)

    def log_prob(self, ids: Ids) -> Floats:
        log_probs: Floats = self.scores[np.arange(len(ids)), ids]
        return log_probs

    def log_probs(self) -> Floats:
        return self.scores
