"""Wanted: the keywords that a sentence must contain, and what is asked of each."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tersely.runtime.arrays import Ids
from tersely.text.vocabulary import EOS_ID, SHIFT_ID

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Wanted:
    """The keywords of one sentence, as ids."""

    keywords: Sequence[int]
    glued: Sequence[bool] = ()
    """Of each keyword, and of the end, whether it must directly follow the keyword before it;
    a case mark may come between. None is where this is empty."""
    capital: Sequence[bool] = ()
    """Of each keyword, whether a case mark must stand before it. None where this is empty."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is wanted of some sentences, (sentences, places) each: the keywords, then the end.

    A place is how many keywords have been said. Without the guarantee nothing is asked for.
    """

    keywords: Ids  # the keyword that would be the next one
    following: Ids  # what must still come, first of all; the end where nothing must
    needed: Ids  # how many words must still come: keywords, and the case marks they ask for
    glued: Bools  # whether nothing may come before it but its case mark
    capital: Bools  # whether a case mark must

    @classmethod
    def of(cls, wanted: Sequence[Wanted], *, guarantee: bool) -> "Asked":
        """Lay out what is wanted, one row a sentence."""
        places = 1 + max((len(one.keywords) for one in wanted), default=0)
        keywords = np.full((len(wanted), places), EOS_ID, np.int64)
        glued, capital = np.zeros(keywords.shape, np.bool_), np.zeros(keywords.shape, np.bool_)
        for row, one in enumerate(wanted):
            keywords[row, : len(one.keywords)] = one.keywords
            if guarantee:
                glued[row, : len(one.glued)] = one.glued
                capital[row, : len(one.capital)] = one.capital
        if not guarantee:
            nothing = np.zeros_like(keywords)
            return cls(keywords, np.full_like(keywords, EOS_ID), nothing, glued, capital)
        words = (keywords != EOS_ID) + capital.astype(np.int64)
        needed = np.cumsum(words[:, ::-1], axis=1)[:, ::-1]
        return cls(keywords, keywords, needed, glued, capital)

    @property
    def words(self) -> Ids:
        """How many words each sentence has at least: (sentences,)."""
        found: Ids = ((self.keywords != EOS_ID) + self.capital.astype(np.int64)).sum(axis=1)
        return found

    @property
    def has_capital(self) -> Bools:
        """Whether a case mark is asked for anywhere: (sentences,)."""
        found: Bools = np.logical_or.reduce(self.capital, axis=1)
        return found

    def rest(self, sentence: int, placed: int, last: int) -> list[int]:
        """The words that are still needed, after so many keywords and this last word."""
        rest: list[int] = []
        for place in range(placed, self.keywords.shape[1]):
            if self.following[sentence, place] == EOS_ID:
                break
            is_marked = not rest and last == SHIFT_ID
            if self.capital[sentence, place] and not is_marked:
                rest.append(SHIFT_ID)
            rest.append(int(self.following[sentence, place]))
        return rest
