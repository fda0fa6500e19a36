"""Rows of ids of unequal length, as one array."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tersely.text.vocabulary import PAD_ID

Ids = npt.NDArray[np.int64]


def padded(rows: Sequence[Sequence[int]]) -> tuple[Ids, Ids]:
    """Fill rows up to the longest, at least to one column; return them with their lengths."""
    lengths = np.array([len(row) for row in rows], np.int64)
    ids = np.full((len(rows), max(1, int(lengths.max(initial=0)))), PAD_ID, np.int64)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = row
    return ids, lengths
