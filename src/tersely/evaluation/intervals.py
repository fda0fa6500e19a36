"""Intervals: how far a figure could move if the sentences had been others."""

import numpy as np
import numpy.typing as npt


def drawn_sums(
    table: npt.NDArray[np.float64], *, resamples: int, seed: int = 1
) -> npt.NDArray[np.float64]:
    """Sums of all columns over sentences drawn with replacement: (resamples, columns).

    One draw serves all columns, so that figures from the same row speak of the same sentences.
    """
    rng = np.random.default_rng(seed)
    count = len(table)
    sums = np.empty((resamples, table.shape[1]))
    for row in sums:
        # How often each sentence is drawn is all that a sum depends on.
        row[:] = np.bincount(rng.integers(count, size=count), minlength=count) @ table
    return sums


def bootstrap(
    table: npt.NDArray[np.float64],
    *,
    above: int,
    below: int,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 1,
) -> tuple[float, float]:
    """Resample sentences with replacement; return the middle `level` of a pooled fraction.

    `table` holds one row a sentence; the fraction is the sum of column `above` over the
    sum of column `below`.
    """
    sums = drawn_sums(table[:, [above, below]], resamples=resamples, seed=seed)
    return middle(sums[:, 0], sums[:, 1], level=level)


def middle(
    upper: npt.NDArray[np.float64], lower: npt.NDArray[np.float64], *, level: float = 0.95
) -> tuple[float, float]:
    """The middle `level` of a fraction over draws; those in which it is none do not count."""
    there = lower > 0
    tail = (1 - level) / 2
    low, high = np.quantile(upper[there] / lower[there], [tail, 1 - tail])
    return float(low), float(high)
