"""Restarts: do runs that differ in nothing but their seed find the same scheme?

Token retention is that of a token type; its difference between two runs is averaged over
types, each weighted by how often it occurs: all types count, `<shift>` and punctuation too.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tersely.evaluation.outcomes import TypeCounts
from tersely_lab.reproduction.resampling import Interval, Resampled
from tersely_lab.reproduction.runs import Run, Setting


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs of one setting."""

    subset: str
    label: str
    first: Run
    second: Run
    kept_with_eos: tuple[float, float]
    typed_fraction: tuple[float, float]
    exact_match: tuple[float, float]
    exact_interval: Interval  # of the difference, by sentences
    token_difference: float
    token_interval: Interval  # by drawing types


def pairs(settings: Iterable[Setting], resampled: Resampled) -> list[Pair]:
    """Every two runs of every setting that has more than one."""
    return [
        _pair(setting.label, first, second, resampled)
        for setting in settings
        for first, second in combinations(setting.runs, 2)
    ]


def token_difference(first: TypeCounts, second: TypeCounts) -> float:
    """Mean |difference of kept share| over token types, weighted by frequency."""
    apart = np.abs(first.kept - second.kept)  # count × difference of shares
    return float(apart.sum() / first.count.sum())


def _pair(label: str, first: Run, second: Run, resampled: Resampled) -> Pair:
    figures = {
        name: tuple(resampled.figures[run.name][name] for run in (first, second))
        for name in ("kept_with_eos", "typed_fraction", "exact_match")
    }
    measured = {name: (float(one[0]), float(two[0])) for name, (one, two) in figures.items()}
    types = [run.outcomes.words[resampled.subset].types for run in (first, second)]
    exact = figures["exact_match"][0][1:] - figures["exact_match"][1][1:]
    low, high = np.quantile(exact, [0.025, 0.975])
    return Pair(
        resampled.subset,
        label,
        first,
        second,
        kept_with_eos=measured["kept_with_eos"],
        typed_fraction=measured["typed_fraction"],
        exact_match=measured["exact_match"],
        exact_interval=(float(low), float(high)),
        token_difference=token_difference(*types),
        token_interval=_token_interval(*types, draws=resampled.draws),
    )


def _token_interval(first: TypeCounts, second: TypeCounts, *, draws: int) -> Interval:
    apart, count = np.abs(first.kept - second.kept), first.count
    rng = np.random.default_rng(1)
    found = np.empty(draws)
    for index in range(draws):
        drawn = rng.integers(len(count), size=len(count))
        found[index] = apart[drawn].sum() / count[drawn].sum()
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)
