"""Frontier curves: a metric over the typed fraction, and which curve is ahead at each fraction.

A scheme is a point, a family of schemes (Constrained at several ε) a curve, and so is a model at
several budgets. Curves are interpolated between their points and not extrapolated.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Point:
    """A scheme, or a model at one budget, evaluated on held-out sentences."""

    name: str
    family: str
    summary: dict[str, Any]  # of evaluation.metrics.summarise
    matched: dict[str, Any]  # the same on the subset of the paper's length
    seconds: float | None = None  # of training
    budget: float | None = None

    def metrics(self, subset: str) -> dict[str, Any]:
        """Return the metrics on "all" sentences, or on the "matched" ones."""
        return self.matched if subset == "matched" else self.summary


def interpolate(points: Iterable[Point], typed: float, metric: str, subset: str) -> float | None:
    """Return the value of a curve at a typed fraction; None beyond its ends."""
    metrics = [point.metrics(subset) for point in points]
    rows = sorted((row["typed_fraction"], row[metric]) for row in metrics)
    if not rows or not rows[0][0] <= typed <= rows[-1][0]:
        return None
    return float(np.interp(typed, [row[0] for row in rows], [row[1] for row in rows]))


def families(points: Iterable[Point]) -> dict[str, list[Point]]:
    """Group points by family, in the order in which families first appear."""
    by_family: dict[str, list[Point]] = {}
    for point in points:
        by_family.setdefault(point.family, []).append(point)
    return by_family


def best_family(
    others: Sequence[Point], typed: float, metric: str, subset: str
) -> tuple[str, float] | None:
    """Return the family that is best at a typed fraction, and its value."""
    values = {
        name: interpolate(points, typed, metric, subset)
        for name, points in families(others).items()
    }
    known = {name: value for name, value in values.items() if value is not None}
    if not known:
        return None
    name = max(known, key=lambda family: known[family])
    return name, known[name]


def lead(
    ours: Sequence[Point],
    others: Sequence[Point],
    *,
    at: Iterable[float],
    metric: str,
    subset: str = "all",
) -> list[dict[str, Any]]:
    """Compare our curve with the best family at typed fractions that both curves cover."""
    rows = []
    for typed in at:
        value = interpolate(ours, typed, metric, subset)
        best = best_family(others, typed, metric, subset)
        if value is None or best is None:
            continue
        family, best_value = best
        rows.append(
            {
                "typed_fraction": typed,
                "ours": value,
                "best": best_value,
                "best_family": family,
                "times": value / best_value if best_value else None,
            }
        )
    return rows


def compare_points(
    ours: Sequence[Point], others: Sequence[Point], metric: str, subset: str = "all"
) -> list[dict[str, Any]]:
    """Compare each scheme with our curve at the scheme's typed fraction."""
    rows = []
    for point in others:
        metrics = point.metrics(subset)
        value = interpolate(ours, metrics["typed_fraction"], metric, subset)
        rows.append(
            {
                "name": point.name,
                "typed_fraction": metrics["typed_fraction"],
                "theirs": metrics[metric],
                "ours": value,
                "is_beaten": None if value is None else bool(value > metrics[metric]),
            }
        )
    return rows
