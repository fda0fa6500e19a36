"""How strongly two variables go together: Spearman's ρ and η²."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def rank_correlation(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Return Spearman's ρ; None for fewer than three values or if either does not vary."""
    x, y = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.corrcoef(ranks(x), ranks(y))[0, 1])


def ranks(values: Floats) -> Floats:
    """Return ranks from 1; equal values share their mean rank."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[place])


def variance_explained(groups: Sequence[tuple[float, float]]) -> float | None:
    """Return η²: the share of a binary variable's variance that lies between groups.

    A group is (size, number of ones). None if the variable does not vary.
    """
    total, ones = sum(size for size, _ in groups), sum(ones for _, ones in groups)
    if not total or ones in (0, total):
        return None
    mean = ones / total
    between = sum(size * (ones / size - mean) ** 2 for size, ones in groups if size)
    return float(between / (total * mean * (1 - mean)))
