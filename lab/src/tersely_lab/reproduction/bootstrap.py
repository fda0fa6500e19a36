"""Bootstrap: metrics of every run under resamples of the test sentences and of the seeds.

All runs share each draw of sentences, so a difference between two runs is taken on the same
sentences. Where a point has several seeds these are drawn too. Row 0 of every array is the
measured value; the rows below are the draws.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from tersely.evaluation.intervals import bootstrap_sums
from tersely.evaluation.metrics import matched_length
from tersely_lab.reproduction.runs import Point, Run

Draws = npt.NDArray[np.float64]  # (1 + draws,)
Over = Literal["sentences", "seeds", "both"]
Subset = Literal["all", "matched"]  # matched: about the paper's mean sentence length
Interval = tuple[float, float]

SUBSETS: tuple[Subset, ...] = ("all", "matched")


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Metrics of every run on one subset of the test sentences, with draws of these."""

    subset: Subset
    sentences: int
    tokens_per_sentence: float
    max_tokens: int
    draws: int
    metrics: dict[str, dict[str, Draws]]  # run → metric → (1 + draws,)
    seed: int

    def value(self, point: Point, metric: str) -> float:
        """Return a point's measured value: the mean over its seeds."""
        return float(self.of(point, metric)[0])

    def run_value(self, run: Run, metric: str) -> float:
        """Return a run's measured value."""
        return float(self.metrics[run.name][metric][0])

    def of(self, point: Point, metric: str, over: Over = "both") -> Draws:
        """Return the mean over a point's seeds, with draws of sentences, of seeds or of both."""
        table = np.stack([self.metrics[run.name][metric] for run in point.runs])  # (seeds, rows)
        if over == "seeds":
            table = np.repeat(table[:, :1], self.draws + 1, axis=1)
        if over == "sentences" or len(point.runs) == 1:
            return np.asarray(table.mean(axis=0))
        chosen = self._drawn_seeds(point)  # (rows, seeds)
        rows = np.arange(self.draws + 1)[:, None]
        return np.asarray(table[chosen, rows].mean(axis=1))

    def _drawn_seeds(self, point: Point) -> npt.NDArray[np.int64]:
        """Draw seeds for each row; the same ones for every metric of a point."""
        count = len(point.runs)
        rng = np.random.default_rng([self.seed, *point.label.encode()])
        chosen = rng.integers(count, size=(self.draws + 1, count))
        chosen[0] = np.arange(count)
        return chosen


def bootstrap(
    runs: Sequence[Run], subset: Subset, *, draws: int = 1000, seed: int = 1
) -> Bootstrap:
    """Draw sentences with replacement, `draws` times, and pool each run's metrics."""
    lengths = runs[0].outcomes.tokens
    limit = matched_length(lengths.tolist()) if subset == "matched" else int(lengths.max())
    inside = lengths <= limit
    columns = np.concatenate([_columns(run)[inside] for run in runs], axis=1)
    sums = np.vstack([columns.sum(axis=0), bootstrap_sums(columns, resamples=draws, seed=seed)])
    sums_by_run = np.split(sums, len(runs), axis=1)
    return Bootstrap(
        subset=subset,
        sentences=int(inside.sum()),
        tokens_per_sentence=float(lengths[inside].mean()),
        max_tokens=limit,
        draws=draws,
        metrics={run.name: _pooled(part) for run, part in zip(runs, sums_by_run, strict=True)},
        seed=seed,
    )


def _columns(run: Run) -> npt.NDArray[np.float64]:
    """Return the columns that are summed over sentences: (sentences, 6)."""
    outcomes = run.outcomes
    columns = (outcomes.tokens, outcomes.typed, outcomes.exact, outcomes.served, outcomes.in_top3)
    return np.stack([*columns, np.ones_like(outcomes.tokens)], axis=1).astype(np.float64)


def _pooled(sums: npt.NDArray[np.float64]) -> dict[str, Draws]:
    tokens, typed, exact, served, top3, count = sums.T
    return {
        "kept_with_eos": (typed + count) / (tokens + count),
        "typed_fraction": typed / tokens,
        "exact_match": exact / count,
        "exact_match_served": served / count,
        "top3": top3 / count,
    }


def interval(draws: Draws) -> Interval | None:
    """Return the 95 % interval; None if over 5 % of the draws are not a number."""
    rows = draws[1:]
    known = rows[~np.isnan(rows)]
    if len(known) < 0.95 * len(rows) or len(known) == 0:
        return None
    return percentiles(known, tail=(1 - 0.95) / 2)  # 0.025 would change the tables' last digits


def percentiles(values: npt.ArrayLike, *, tail: float = 0.025) -> Interval:
    """Return the middle 95 % of values."""
    low, high = np.quantile(np.asarray(values, np.float64), [tail, 1 - tail])
    return float(low), float(high)


def measured(draws: Draws) -> float | None:
    """Return the measured value; None where it is not a number."""
    return None if np.isnan(draws[0]) else float(draws[0])
