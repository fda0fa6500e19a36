"""The frontier: how much comes back for how much is typed, and who is ahead where.

A scheme gives a point, a family of schemes (Constrained at several ε) a curve, and a model
with a budget a curve of its own. Curves are read between their points, never beyond them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

MEASURES = ("exact_match", "exact_match_served", "top3")


@dataclass(frozen=True, slots=True)
class Point:
    """One scheme, or one budget of a model, on held-out sentences."""

    name: str
    family: str
    summary: dict[str, Any]  # as evaluation.evaluate.summarise gives it
    matched: dict[str, Any]  # the same on the subset of the paper's length
    seconds: float | None = None  # of training
    budget: float | None = None

    @property
    def typed(self) -> float:
        """Share of tokens typed."""
        return float(self.summary["typed_fraction"])

    def of(self, subset: str) -> dict[str, Any]:
        """The figures on "all" sentences, or on the "matched" ones."""
        return self.matched if subset == "matched" else self.summary


def read_at(points: Iterable[Point], typed: float, measure: str, subset: str) -> float | None:
    """A curve's value where this share is typed; None beyond its ends."""
    rows = sorted(
        (point.of(subset)["typed_fraction"], point.of(subset)[measure]) for point in points
    )
    if not rows or not rows[0][0] <= typed <= rows[-1][0]:
        return None
    return float(np.interp(typed, [row[0] for row in rows], [row[1] for row in rows]))


def families(points: Iterable[Point]) -> dict[str, list[Point]]:
    """Points by family, in the order in which families first appear."""
    found: dict[str, list[Point]] = {}
    for point in points:
        found.setdefault(point.family, []).append(point)
    return found


def best_of(
    others: Sequence[Point], typed: float, measure: str, subset: str
) -> tuple[str, float] | None:
    """Which family is best where this share is typed, and how good."""
    values = {
        name: read_at(points, typed, measure, subset) for name, points in families(others).items()
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
    measure: str,
    subset: str = "all",
) -> list[dict[str, Any]]:
    """Ours against the best of the others, at some typed fractions, where both can be read."""
    rows = []
    for typed in at:
        mine, best = read_at(ours, typed, measure, subset), best_of(others, typed, measure, subset)
        if mine is None or best is None:
            continue
        name, value = best
        rows.append(
            {
                "typed_fraction": typed,
                "ours": mine,
                "best": value,
                "best_family": name,
                "times": mine / value if value else None,
            }
        )
    return rows


def beaten_points(
    ours: Sequence[Point], others: Sequence[Point], measure: str, subset: str = "all"
) -> list[dict[str, Any]]:
    """Each single scheme against our curve at the same typed fraction."""
    rows = []
    for point in others:
        figures = point.of(subset)
        mine = read_at(ours, figures["typed_fraction"], measure, subset)
        rows.append(
            {
                "name": point.name,
                "typed_fraction": figures["typed_fraction"],
                "theirs": figures[measure],
                "ours": mine,
                "is_beaten": None if mine is None else bool(mine > figures[measure]),
            }
        )
    return rows
