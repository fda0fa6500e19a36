"""Keyword constraints: the keywords a sentence must contain, in order, and how each must appear.

With constraints enforced, beam search ends a sentence only after its last keyword.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from tersely.runtime.arrays import Ids
from tersely.text.vocabulary import EOS_ID, SHIFT_ID

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class KeywordConstraint:
    """The keywords of one sentence."""

    keywords: Sequence[int]
    adjacent: Sequence[bool] = ()
    """For each keyword, and for the end of the sentence: whether it must directly follow the
    keyword before it. A case mark may come between the two. Empty: none must."""
    capitalised: Sequence[bool] = ()
    """For each keyword: whether a case mark must precede it. Empty: none must."""


@dataclass(frozen=True, slots=True)
class ConstraintTable:
    """The constraints of a batch of sentences as arrays, (sentences, columns) each.

    Column i applies after i keywords; the last column of a sentence is its end.
    """

    keywords: Ids  # the next keyword
    required: Ids  # the next required token; the end mark if none is required
    remaining_counts: Ids  # how many tokens are still required: keywords and their case marks
    adjacent: Bools  # whether nothing but a case mark may come before the required token
    capitalised: Bools  # whether a case mark must come before it

    @classmethod
    def build(cls, constraints: Sequence[KeywordConstraint], *, enforce: bool) -> Self:
        """Lay out the constraints, one row per sentence; without `enforce` nothing is required."""
        columns = 1 + max((len(constraint.keywords) for constraint in constraints), default=0)
        keywords = np.full((len(constraints), columns), EOS_ID, np.int64)
        adjacent = np.zeros(keywords.shape, np.bool_)
        capitalised = np.zeros(keywords.shape, np.bool_)
        for row, constraint in enumerate(constraints):
            keywords[row, : len(constraint.keywords)] = constraint.keywords
            if enforce:
                adjacent[row, : len(constraint.adjacent)] = constraint.adjacent
                capitalised[row, : len(constraint.capitalised)] = constraint.capitalised
        if not enforce:
            zeros = np.zeros_like(keywords)
            return cls(keywords, np.full_like(keywords, EOS_ID), zeros, adjacent, capitalised)
        tokens = (keywords != EOS_ID) + capitalised.astype(np.int64)
        remaining_counts = np.cumsum(tokens[:, ::-1], axis=1)[:, ::-1]
        return cls(keywords, keywords, remaining_counts, adjacent, capitalised)

    @property
    def token_counts(self) -> Ids:
        """Return the number of tokens of the keywords and their case marks: (sentences,)."""
        tokens = (self.keywords != EOS_ID) + self.capitalised.astype(np.int64)
        counts: Ids = tokens.sum(axis=1)
        return counts

    @property
    def has_capitalised(self) -> Bools:
        """Return whether any keyword needs a case mark: (sentences,)."""
        has_capitalised: Bools = np.logical_or.reduce(self.capitalised, axis=1)
        return has_capitalised

    def remaining(self, sentence: int, n_placed: int, last: int) -> list[int]:
        """Return the tokens still required after `n_placed` keywords and the token `last`."""
        tokens: list[int] = []
        for index in range(n_placed, self.keywords.shape[1]):
            if self.required[sentence, index] == EOS_ID:
                break
            has_shift = not tokens and last == SHIFT_ID
            if self.capitalised[sentence, index] and not has_shift:
                tokens.append(SHIFT_ID)
            tokens.append(int(self.required[sentence, index]))
        return tokens
