"""Arrays of ids: rows of unequal length padded to one array, and rows that form groups."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tersely.text.vocabulary import PAD_ID

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


def pad(rows: Sequence[Sequence[int]]) -> tuple[Ids, Ids]:
    """Pad rows to the longest, at least to one column; return them with their lengths."""
    lengths = np.array([len(row) for row in rows], np.int64)
    ids = np.full((len(rows), max(1, int(lengths.max(initial=0)))), PAD_ID, np.int64)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = row
    return ids, lengths


@dataclass(frozen=True)
class RowGroups:
    """Consecutive rows of an array that belong together, as the hypotheses of a sentence do."""

    sizes: Ids  # (groups,): how many rows each group has

    @cached_property
    def bounds(self) -> Ids:
        """Return where each group starts, and where the last one ends: (groups + 1,)."""
        bounds = np.zeros(len(self.sizes) + 1, np.int64)
        np.cumsum(self.sizes, out=bounds[1:])
        return bounds

    @cached_property
    def max_size(self) -> int:
        """Return how many rows the largest group has."""
        return int(self.sizes.max(initial=0))

    @cached_property
    def of_row(self) -> Ids:
        """Return the group of each row: (rows,)."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def concatenated(self, values: Floats) -> Floats:
        """Map (rows, columns) to (groups, max_size × columns), smaller groups filled with −∞."""
        groups, columns = len(self.sizes), values.shape[1]
        if groups * self.max_size == len(values):
            return values.reshape(groups, self.max_size * columns)
        grid = np.full((groups, self.max_size, columns), -np.inf, values.dtype)
        grid[self.of_row, np.arange(len(values)) - self.bounds[self.of_row]] = values
        return grid.reshape(groups, self.max_size * columns)
