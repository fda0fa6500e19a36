"""Stability: what λ and ε do to retention, and the course of a run.

Degenerate schemes keep all tokens or none. How evenly points are spread is told in two ways:
by the gaps between neighbours along the curve, which depend on the grid that was chosen, and
by how much retention moves when the parameter is doubled, which hardly does.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from tersely_lab.reproduction.runs import Run, Setting

NONE_BELOW, ALL_ABOVE = 0.02, 0.98  # typed fractions of a degenerate scheme
EARLY_SHARE = 0.2  # of the steps: the beginning of a run
MOST_TOKENS = 0.8  # kept at the beginning
LEAST_DROP = 0.05  # kept at the peak less kept at the end, to speak of dropping at all
SLOW_SHARE = 0.5  # the largest single step down, of the whole way, to speak of slowly


def degenerate(typed_fraction: float) -> str | None:
    """ "all" or "none" where a scheme keeps nearly all or nearly nothing."""
    if typed_fraction <= NONE_BELOW:
        return "none"
    return "all" if typed_fraction >= ALL_ABOVE else None


@dataclass(frozen=True, slots=True)
class Spread:
    """How evenly the points of a kind lie."""

    points: int
    gap_variation: float | None  # standard deviation of neighbours' gaps over their mean
    largest_gap: float | None
    most_a_doubling: float | None  # largest change of typed fraction a doubling of the parameter


def spread(settings: Sequence[Setting], typed: Mapping[str, float]) -> Spread:
    """Look at the points of one kind; `typed` gives each label's typed fraction."""
    values = sorted(typed[one.label] for one in settings)
    gaps = np.diff(values)
    by_parameter = sorted((one.parameter, typed[one.label]) for one in settings)
    moves = [
        abs(high - low) / math.log2(after / before)
        for (before, low), (after, high) in pairwise(by_parameter)
        if before > 0
    ]
    mean = float(gaps.mean()) if len(gaps) else 0.0
    return Spread(
        points=len(values),
        gap_variation=float(gaps.std() / mean) if len(gaps) > 1 and mean > 0 else None,
        largest_gap=float(gaps.max()) if len(gaps) else None,
        most_a_doubling=max(moves, default=None),
    )


@dataclass(frozen=True, slots=True)
class Descent:
    """The way of a run's kept share on dev."""

    name: str
    label: str
    early_peak: float
    end: float
    largest_step: float | None  # share of the way down made between two judgements

    @property
    def drop(self) -> float:
        """From the early peak to the end."""
        return self.early_peak - self.end

    @property
    def is_as_described(self) -> bool:
        """First most tokens are kept, then they are slowly dropped."""
        return (
            self.early_peak >= MOST_TOKENS
            and self.drop >= LEAST_DROP
            and self.largest_step is not None
            and self.largest_step <= SLOW_SHARE
        )


def descent(run: Run) -> Descent | None:
    """How a run came down; None where it was judged too seldom to tell."""
    rows = series(run, "kept_fraction", "dev")
    if len(rows) < 3:
        return None
    last = rows[-1][0]
    early = [kept for step, kept in rows if step <= EARLY_SHARE * last] or [rows[0][1]]
    peak, end = max(early), rows[-1][1]
    start = next(index for index, row in enumerate(rows) if row[1] == peak)
    falls = [before[1] - after[1] for before, after in pairwise(rows[start:])]
    way = peak - end
    return Descent(
        run.name,
        run.label,
        early_peak=peak,
        end=end,
        largest_step=max(falls) / way if falls and way > 0 else None,
    )


def series(run: Run, key: str, kind: str) -> list[tuple[int, float]]:
    """Step and value of one figure of the course."""
    return [
        (int(row["step"]), float(row[key]))
        for row in run.course
        if row["kind"] == kind and isinstance(row.get(key), int | float)
    ]


@dataclass(frozen=True, slots=True)
class Control:
    """Whether ε controls the loss: what was asked, and what came of it."""

    name: str
    epsilon: float
    test_loss: float
    dev_loss: float | None
    final_weight: float | None

    @property
    def is_met(self) -> bool:
        """On held-out sentences the loss is at most ε."""
        return self.test_loss <= self.epsilon


def control(run: Run) -> Control:
    """Read a Constrained run's loss beside its ε."""
    dev: dict[str, Any] = run.result.get("dev") or {}
    return Control(
        run.name,
        run.parameter,
        float(run.figures["nll_per_token"]),
        dev.get("loss_nats_a_token"),
        dev.get("weight_tokens_per_nat"),
    )
