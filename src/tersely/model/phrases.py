"""Phrases: what the words around a gap make likely there, looked up in a table.

The decoder's state has to carry everything that was said; a table carries what is often said,
for the price of looking it up. Four phrases stand around the word to come: the last two words,
the last three, the last word and the keyword that comes next, the last two and that keyword.
Each has a row of the table by its hash (phrases that share a row share what it says), and the four
rows, multiplied out, are added to the decoder's state before it chooses.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.kernels.chosen import Matrix
from tersely.model.lstm import Floats
from tersely.model.rows import Ids

LAST, BEFORE, EARLIER, KEYWORD = range(4)
"""The words that phrases are made of: the last three, counted back, and the next keyword."""
PHRASES = ((LAST, BEFORE), (LAST, BEFORE, EARLIER), (LAST, KEYWORD), (LAST, BEFORE, KEYWORD))
TABLE, OUTPUT = "decoder.phrases.table.weight", "decoder.phrases.output.weight"
MOST_ROWS = 1 << 22  # a phrase


class Phrases:
    """A model's table, ready to be looked up."""

    def __init__(self, tensors: Mapping[str, npt.NDArray[Any]]) -> None:
        self._table: Floats = tensors[TABLE]
        self._output = Matrix(tensors[OUTPUT])

    def added_to(self, state: Floats, words: Ids) -> Floats:
        """Map states (rows, units) and words around the gap (rows, 4) to what chooses."""
        rows = rows_of(words, len(self._table) // len(PHRASES))
        found = self._table.take(rows, axis=0).reshape(len(words), -1)
        return self._output.times(found, onto=state.copy())


def rows_of(words: Ids, rows: int) -> Ids:
    """The row of each phrase of words (n, 4), in a table of so many rows a phrase: (n, 4)."""
    hashed = words.astype(np.uint64) @ _FACTORS + _STARTS
    # A sum alone would put pairs of frequent words, whose ids are small, into few of the rows.
    hashed = (hashed ^ (hashed >> _HALF)) * _MIXER
    own: Ids = (((hashed >> _HALF) * np.uint64(rows)) >> _HALF).astype(np.int64)
    own += rows * np.arange(len(PHRASES))
    return own


def _numbers(seed: int = 0) -> Iterator[int]:
    """SplitMix64 (Steele, Lea, Flood 2014): 64 bits each, the same everywhere and for ever."""
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) % (1 << 64)
        mixed = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) % (1 << 64)
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) % (1 << 64)
        yield mixed ^ (mixed >> 31)


def _factors() -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """What each word of each phrase is multiplied by, 0 for those of other phrases, and a start."""
    numbers, factors = _numbers(), np.zeros((KEYWORD + 1, len(PHRASES)), np.uint64)
    for phrase, words in enumerate(PHRASES):
        for word in words:
            factors[word, phrase] = next(numbers)
    return factors, np.array([next(numbers) for _ in PHRASES], np.uint64)


_FACTORS, _STARTS = _factors()
_HALF, _MIXER = np.uint64(32), np.uint64(0xBF58476D1CE4E5B9)
