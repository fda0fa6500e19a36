"""Bootstrap confidence intervals over sentences."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def bootstrap_sums(table: Floats, *, resamples: int, seed: int = 1) -> Floats:
    """Return column sums over sentences drawn with replacement: (resamples, columns).

    All columns share one draw, so that metrics in one row are about the same sentences.
    """
    rng = np.random.default_rng(seed)
    count = len(table)
    sums = np.empty((resamples, table.shape[1]))
    for row in sums:
        # A sum depends only on how often each sentence is drawn.
        row[:] = np.bincount(rng.integers(count, size=count), minlength=count) @ table
    return sums


def bootstrap_interval(
    table: Floats,
    *,
    above: int,
    below: int,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 1,
) -> tuple[float, float]:
    """Return the bootstrap interval of a pooled fraction.

    `table` has one row per sentence; the fraction is the sum of column `above` over the sum of
    column `below`.
    """
    sums = bootstrap_sums(table[:, [above, below]], resamples=resamples, seed=seed)
    return percentile_interval(sums[:, 0], sums[:, 1], level=level)


def percentile_interval(
    numerators: Floats, denominators: Floats, *, level: float = 0.95
) -> tuple[float, float]:
    """Return the central `level` of a fraction over draws; draws that divide by 0 are left out."""
    is_defined = denominators > 0
    tail = (1 - level) / 2
    fractions = numerators[is_defined] / denominators[is_defined]
    low, high = np.quantile(fractions, [tail, 1 - tail])
    return float(low), float(high)
