"""Trade-off curves: exact match over retention, and the lead of one curve over another.

A curve joins the points of one objective with straight lines. It is read between its first and
last point, never beyond.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tersely_lab.reproduction import paper
from tersely_lab.reproduction.bootstrap import (
    Bootstrap,
    Draws,
    Interval,
    Over,
    interval,
    measured,
)
from tersely_lab.reproduction.runs import Point

LEVELS = 21  # places at which two curves are compared over their shared range

Curve = Sequence[Point]


@dataclass(frozen=True, slots=True)
class Lead:
    """The lead of one curve over another at one retention."""

    subset: str
    retention: str  # the metric: kept_with_eos or typed_fraction
    at: float
    ours: float | None
    theirs: float | None
    points: float | None
    relative: float | None
    points_interval: dict[Over, Interval | None]
    relative_interval: dict[Over, Interval | None]
    shared_range: Interval | None  # where both curves can be read
    widths: tuple[float | None, float | None]  # retention between the points read, ours and theirs


@dataclass(frozen=True, slots=True)
class LevelComparison:
    """Two curves compared at evenly spaced levels of the range they share."""

    subset: str
    shared_range: Interval | None
    levels: int
    levels_ahead: int
    smallest_lead: float | None  # in points of exact match, or of retention saved


def read_curve(
    sample: Bootstrap,
    curve: Curve,
    at: float,
    *,
    x: str,
    y: str = "exact_match",
    over: Over = "both",
) -> Draws:
    """Return the curve's y where its x is `at`, for each draw; NaN beyond its ends."""
    values = np.full(sample.draws + 1, np.nan)
    if not curve:
        return values
    xs = np.stack([sample.of(point, x, over) for point in curve], axis=1)
    ys = np.stack([sample.of(point, y, over) for point in curve], axis=1)
    for row, (row_x, row_y) in enumerate(zip(xs, ys, strict=True)):
        order = np.lexsort((row_y, row_x))
        if row_x[order[0]] <= at <= row_x[order[-1]]:
            values[row] = np.interp(at, row_x[order], row_y[order])
    return values


def shared_range(sample: Bootstrap, curves: Sequence[Curve], metric: str) -> Interval | None:
    """Return the range of a metric over which all curves can be read; None if it is empty."""
    if not all(curves):
        return None
    values = [[sample.value(point, metric) for point in curve] for curve in curves]
    low, high = max(map(min, values)), min(map(max, values))
    return (low, high) if low <= high else None


def measure_lead(
    sample: Bootstrap, ours: Curve, theirs: Curve, *, at: float, retention: str
) -> Lead:
    """Compare two curves at one retention, with 95 % intervals."""
    points: dict[Over, Draws] = {}
    relative: dict[Over, Draws] = {}
    ways: tuple[Over, ...] = ("sentences", "seeds", "both")
    for over in ways:
        own = read_curve(sample, ours, at, x=retention, over=over)
        other = read_curve(sample, theirs, at, x=retention, over=over)
        points[over] = own - other
        with np.errstate(divide="ignore", invalid="ignore"):
            relative[over] = np.where(other > 0, (own - other) / other, np.nan)
    return Lead(
        subset=sample.subset,
        retention=retention,
        at=at,
        ours=measured(own),
        theirs=measured(other),
        points=measured(points["both"]),
        relative=measured(relative["both"]),
        points_interval={over: interval(draws) for over, draws in points.items()},
        relative_interval={over: interval(draws) for over, draws in relative.items()},
        shared_range=shared_range(sample, [ours, theirs], retention),
        widths=(_width(sample, ours, at, retention), _width(sample, theirs, at, retention)),
    )


def _width(sample: Bootstrap, curve: Curve, at: float, metric: str) -> float | None:
    """Return the distance between the two points that `at` lies between."""
    values = [sample.value(point, metric) for point in curve]
    below, above = [x for x in values if x <= at], [x for x in values if x >= at]
    return min(above) - max(below) if below and above else None


def measure_leads(
    samples: Sequence[Bootstrap], ours: Curve, theirs: Curve, kept_with_eos: float
) -> list[Lead]:
    """Compare on each subset, at the paper's retention and at the typed fraction it amounts to."""
    places = {
        "kept_with_eos": kept_with_eos,
        "typed_fraction": paper.typed_from_kept(kept_with_eos),
    }
    return [
        measure_lead(sample, ours, theirs, at=at, retention=retention)
        for sample in samples
        for retention, at in places.items()
    ]


def compare_at_every_accuracy(sample: Bootstrap, ours: Curve, theirs: Curve) -> LevelComparison:
    """Count the levels of exact match at which our curve keeps less (figure 2)."""
    return _compare_levels(sample, ours, theirs, x="exact_match", y="kept_with_eos", sign=-1)


def compare_at_every_retention(sample: Bootstrap, ours: Curve, theirs: Curve) -> LevelComparison:
    """Count the levels of retention at which our curve has more exact matches (figure 3)."""
    return _compare_levels(sample, ours, theirs, x="kept_with_eos", y="exact_match", sign=1)


def _compare_levels(
    sample: Bootstrap, ours: Curve, theirs: Curve, *, x: str, y: str, sign: int
) -> LevelComparison:
    shared = shared_range(sample, [ours, theirs], x)
    if shared is None:
        return LevelComparison(sample.subset, None, 0, 0, None)
    levels = np.linspace(*shared, LEVELS)
    own, other = (_interpolate(sample, curve, levels, x, y) for curve in (ours, theirs))
    gains = sign * (own - other)
    return LevelComparison(
        sample.subset, shared, LEVELS, int((gains > 0).sum()), float(gains.min())
    )


def _interpolate(sample: Bootstrap, curve: Curve, levels: Draws, x: str, y: str) -> Draws:
    rows = sorted((sample.value(point, x), sample.value(point, y)) for point in curve)
    return np.asarray(np.interp(levels, [row[0] for row in rows], [row[1] for row in rows]))
