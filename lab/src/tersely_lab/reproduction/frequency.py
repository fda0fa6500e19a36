"""Retention by frequency (figure 4): are frequent words dropped and rare ones kept?

Over word types of the test set: `<shift>` and punctuation are left out. Frequency is that in
the test set.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tersely.evaluation.outcomes import TypeCounts
from tersely_lab.reproduction.resampling import Interval

SEEN_AT_LEAST = 5  # a type's kept share means little below that
MOST_FREQUENT = 10

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bin:
    """Word types of about one frequency."""

    seen_from: int
    seen_to: int
    types: int
    tokens: int
    kept: float  # share of the tokens
    low: float  # a tenth of the types is kept less
    high: float  # a tenth is kept more


@dataclass(frozen=True, slots=True)
class Frequency:
    """How retention goes with frequency."""

    types: int
    rank_correlation: float | None
    correlation_interval: Interval | None  # by drawing types
    most_frequent: tuple[tuple[str | None, int, float], ...]  # name, occurrences, kept share
    most_frequent_kept: float  # pooled
    bins: tuple[Bin, ...]
    explained: float | None  # share of the variance of "kept" over tokens that bins account for


def frequency(types: TypeCounts, *, draws: int = 1000) -> Frequency:
    """Look at the words of a run."""
    words = types.words_only()
    often = words.count >= SEEN_AT_LEAST
    count, kept = words.count[often].astype(float), words.kept[often].astype(float)
    order = np.argsort(-words.count, kind="stable")[:MOST_FREQUENT]
    bins = tuple(_bins(words))
    return Frequency(
        types=int(often.sum()),
        rank_correlation=rank_correlation(count, kept / count),
        correlation_interval=_correlation_interval(count, kept / count, draws),
        most_frequent=tuple(
            (
                words.names[index],
                int(words.count[index]),
                float(words.kept[index] / words.count[index]),
            )
            for index in order
        ),
        most_frequent_kept=float(words.kept[order].sum() / words.count[order].sum()),
        bins=bins,
        explained=explained([(one.tokens, one.kept * one.tokens) for one in bins]),
    )


def _bins(words: TypeCounts) -> list[Bin]:
    found = []
    place = np.floor(np.log2(words.count)).astype(int)
    for power in range(int(place.max()) + 1 if len(place) else 0):
        inside = place == power
        if not inside.any():
            continue
        count, kept = words.count[inside], words.kept[inside]
        low, high = np.quantile(kept / count, [0.1, 0.9])
        found.append(
            Bin(
                seen_from=2**power,
                seen_to=2 ** (power + 1) - 1,
                types=int(inside.sum()),
                tokens=int(count.sum()),
                kept=float(kept.sum() / count.sum()),
                low=float(low),
                high=float(high),
            )
        )
    return found


def rank_correlation(first: Floats, second: Floats) -> float | None:
    """Spearman's ρ; None where one of them does not vary."""
    if len(first) < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(np.corrcoef(ranks(first), ranks(second))[0, 1])


def ranks(values: Floats) -> Floats:
    """Ranks from 1; equal values share the mean of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[place])


def _correlation_interval(first: Floats, second: Floats, draws: int) -> Interval | None:
    if len(first) < 3:
        return None
    rng = np.random.default_rng(1)
    found = []
    for _ in range(draws):
        drawn = rng.integers(len(first), size=len(first))
        value = rank_correlation(first[drawn], second[drawn])
        if value is not None:
            found.append(value)
    if len(found) < 0.95 * draws:
        return None
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)


def explained(groups: list[tuple[float, float]]) -> float | None:
    """Share of the variance of a yes or no that groups of (count, yes) account for: η²."""
    total, yes = sum(count for count, _ in groups), sum(own for _, own in groups)
    if not total or yes in (0, total):
        return None
    share = yes / total
    between = sum(count * (own / count - share) ** 2 for count, own in groups if count)
    return float(between / (total * share * (1 - share)))
