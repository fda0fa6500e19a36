"""Dropping: parts of what the decoder works with are set to 0 while it learns.

What is dropped stays dropped for a whole sentence (Gal and Ghahramani 2016), and what is left is
scaled up, so that the mean stays. A decoder that has read its corpus many times then knows it
less by heart. The random numbers come from the run's own generator: resuming stays exact.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Dropping:
    """Drops a share of the units of each sentence."""

    share: float
    generator: torch.Generator
    sentences: int

    def __call__(self, vectors: Tensor, sentence: Tensor) -> Tensor:
        """Drop units of vectors (all tokens, units), each of one of the sentences (all tokens,)."""
        drawn = torch.rand(self.sentences, vectors.shape[1], generator=self.generator)
        kept = (drawn >= self.share) / (1 - self.share)  # (sentences, units)
        return vectors * kept[sentence]
