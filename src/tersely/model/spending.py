"""Spending: how many words of a sentence a budget lets its user type.

A share of its tokens, and a little for every sentence besides: what a sentence is about takes
a word or two, however short it is. The paper's encoders find the same by themselves. Both sides
know the rule, so a decoder that counts the keywords can tell how long the sentence may be.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]

LEAST, GREATEST = 0.05, 0.9  # shares that models are trained for
LONGEST = 24.0  # tokens that a decoder is told of
ALL_OF_IT, NONE_OF_IT = 0.45, 0.6  # shares up to which all is spared, and from which nothing


@dataclass(frozen=True, slots=True)
class Spending:
    """A share of a sentence's tokens, and some for every sentence besides."""

    share: float
    spare: float = 0.0  # tokens

    @classmethod
    def at(cls, share: float, spare: float) -> "Spending":
        """Where most is typed anyway, nothing besides."""
        faded = (NONE_OF_IT - share) / (NONE_OF_IT - ALL_OF_IT)
        return cls(share, spare * min(1.0, max(0.0, faded)))

    def keywords(self, tokens: int) -> int:
        """How many of a sentence's tokens are typed."""
        return min(tokens, math.floor(self.share * tokens + self.spare + 0.5))

    def share_of(self, tokens: int) -> float:
        """Which share of a sentence that is, as models were trained for."""
        if not self.spare:
            return self.share
        return min(GREATEST, max(LEAST, self.keywords(tokens) / max(1, tokens)))

    def told(self, keywords: npt.ArrayLike) -> Doubles:
        """The share that so many keywords are, as far as their number tells: (rows,)."""
        counts = np.asarray(keywords, np.float64)
        if not self.spare:
            return np.full(counts.shape, self.share)
        fewest = np.maximum(counts, (counts - self.spare - 0.5) / self.share)
        most = np.minimum((counts - self.spare + 0.5) / self.share, LONGEST)
        tokens = np.maximum((fewest + most) / 2, np.maximum(counts, 1.0))
        return (counts / tokens).clip(LEAST, GREATEST)


def told_shares(budget: "float | Spending | None", keywords: npt.ArrayLike) -> Doubles:
    """What a decoder is told of rows of so many keywords; NaN where there is no budget."""
    if isinstance(budget, Spending):
        return budget.told(keywords)
    return np.full(np.shape(keywords), np.nan if budget is None else budget)


Told = float | Spending
"""What a decoder is told of a budget: the share of all sentences, or how it is spent."""
