"""Intervals: how far a figure could move if the sentences had been others."""

import numpy as np
import numpy.typing as npt


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
    rng = np.random.default_rng(seed)
    count, columns = len(table), np.ascontiguousarray(table[:, [above, below]].T)
    values = np.empty(resamples)
    for index in range(resamples):
        # How often each sentence is drawn is all that a sum depends on.
        drawn = np.bincount(rng.integers(count, size=count), minlength=count)
        upper, lower = columns @ drawn
        values[index] = upper / lower
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)
