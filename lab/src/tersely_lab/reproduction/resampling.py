"""Resampling: every figure of every run as often as the sentences could have been others.

One draw of sentences serves all runs, so that a difference between two of them is taken on
the same sentences. Seeds are drawn too where a point has several. Row 0 of every array is
what was measured; the rows below it are the draws.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from tersely.evaluation.intervals import bootstrap_sums
from tersely.evaluation.metrics import matched_length
from tersely_lab.reproduction.runs import Run, Setting

Draws = npt.NDArray[np.float64]  # (1 + draws,)
Over = Literal["sentences", "seeds", "both"]
Subset = Literal["all", "matched"]
Interval = tuple[float, float]

SUBSETS: tuple[Subset, ...] = ("all", "matched")
RETENTIONS = ("kept_with_eos", "typed_fraction")
ACCURACIES = ("exact_match", "exact_match_served", "top3")


@dataclass(frozen=True, slots=True)
class Resampled:
    """Figures of runs on one subset of the sentences, under draws of these."""

    subset: Subset
    sentences: int
    tokens_a_sentence: float
    max_tokens: int
    draws: int
    figures: dict[str, dict[str, Draws]]  # run → figure → (1 + draws,)
    seed: int

    def of(self, setting: Setting, figure: str, over: Over = "both") -> Draws:
        """A point's figure: the mean over its seeds, which are drawn as well if asked for."""
        table = np.stack([self.figures[run.name][figure] for run in setting.runs])  # (seeds, rows)
        if over == "seeds":
            table = np.repeat(table[:, :1], self.draws + 1, axis=1)
        if over == "sentences" or len(setting.runs) == 1:
            return np.asarray(table.mean(axis=0))
        chosen = self._seeds_of(setting)  # (rows, seeds)
        rows = np.arange(self.draws + 1)[:, None]
        return np.asarray(table[chosen, rows].mean(axis=1))

    def _seeds_of(self, setting: Setting) -> npt.NDArray[np.int64]:
        """Which seeds each row is of: the same for every figure of the point."""
        count = len(setting.runs)
        own = [self.seed, *setting.label.encode()]
        chosen = np.random.default_rng(own).integers(count, size=(self.draws + 1, count))
        chosen[0] = np.arange(count)
        return chosen


def resample(runs: Sequence[Run], subset: Subset, *, draws: int = 1000, seed: int = 1) -> Resampled:
    """Draw sentences with replacement, `draws` times, and pool each run's figures."""
    lengths = runs[0].outcomes.tokens
    limit = matched_length(lengths.tolist()) if subset == "matched" else int(lengths.max())
    inside = lengths <= limit
    columns = np.concatenate([_columns(run)[inside] for run in runs], axis=1)
    sums = np.vstack([columns.sum(axis=0), bootstrap_sums(columns, resamples=draws, seed=seed)])
    each = np.split(sums, len(runs), axis=1)
    figures = {run.name: _pooled(own) for run, own in zip(runs, each, strict=True)}
    return Resampled(
        subset=subset,
        sentences=int(inside.sum()),
        tokens_a_sentence=float(lengths[inside].mean()),
        max_tokens=limit,
        draws=draws,
        figures=figures,
        seed=seed,
    )


def _columns(run: Run) -> npt.NDArray[np.float64]:
    """What is summed over sentences: (sentences, 6)."""
    own = run.outcomes
    return np.stack(
        [own.tokens, own.typed, own.exact, own.served, own.in_top3, np.ones_like(own.tokens)],
        axis=1,
    ).astype(np.float64)


def _pooled(sums: Draws) -> dict[str, Draws]:
    tokens, typed, exact, served, top3, count = sums.T
    return {
        "kept_with_eos": (typed + count) / (tokens + count),
        "typed_fraction": typed / tokens,
        "exact_match": exact / count,
        "exact_match_served": served / count,
        "top3": top3 / count,
    }


def interval(draws: Draws, level: float = 0.95) -> Interval | None:
    """The middle of the draws; None where too many of them could not be read."""
    rows = draws[1:]
    known = rows[~np.isnan(rows)]
    if len(known) < level * len(rows) or len(known) == 0:
        return None
    tail = (1 - level) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return float(low), float(high)


def measured(draws: Draws) -> float | None:
    """What was measured; None where it could not be read."""
    return None if np.isnan(draws[0]) else float(draws[0])
