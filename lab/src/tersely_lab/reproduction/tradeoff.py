"""The trade-off (figures 2 and 3): accuracy over retention, and who is ahead where.

A curve joins the points of one kind with straight lines and is read between its ends only.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tersely_lab.reproduction import paper
from tersely_lab.reproduction.resampling import Draws, Interval, Over, Resampled, interval, measured
from tersely_lab.reproduction.runs import Setting

LEVELS = 21  # places at which two curves are compared over the whole range they share


@dataclass(frozen=True, slots=True)
class Lead:
    """How far one curve is above another where so much is kept."""

    subset: str
    retention: str  # the measure
    at: float
    ours: float | None
    theirs: float | None
    points: float | None
    relative: float | None
    points_interval: dict[Over, Interval | None]
    relative_interval: dict[Over, Interval | None]
    reach: tuple[float, float] | None  # where both curves can be read
    across: tuple[float | None, float | None]  # how far apart the points lie, ours and theirs


def read_curve(
    resampled: Resampled,
    settings: Sequence[Setting],
    at: float,
    *,
    x: str,
    y: str = "exact_match",
    over: Over = "both",
) -> Draws:
    """A curve's y where its x is `at`, row by row; not a number beyond its ends."""
    found = np.full(resampled.draws + 1, np.nan)
    if not settings:
        return found
    xs = np.stack([resampled.of(setting, x, over) for setting in settings], axis=1)
    ys = np.stack([resampled.of(setting, y, over) for setting in settings], axis=1)
    for row, (own_x, own_y) in enumerate(zip(xs, ys, strict=True)):
        order = np.lexsort((own_y, own_x))
        if own_x[order[0]] <= at <= own_x[order[-1]]:
            found[row] = np.interp(at, own_x[order], own_y[order])
    return found


def reach(
    resampled: Resampled, curves: Sequence[Sequence[Setting]], figure: str
) -> tuple[float, float] | None:
    """From where to where all curves can be read; None if there is no such place."""
    if not all(curves):
        return None
    values = [[float(resampled.of(one, figure)[0]) for one in curve] for curve in curves]
    low, high = max(map(min, values)), min(map(max, values))
    return (low, high) if low <= high else None


def lead(
    resampled: Resampled,
    ours: Sequence[Setting],
    theirs: Sequence[Setting],
    *,
    at: float,
    retention: str,
) -> Lead:
    """Compare two curves at one retention, with intervals."""
    points: dict[Over, Draws] = {}
    relative: dict[Over, Draws] = {}
    ways: tuple[Over, ...] = ("sentences", "seeds", "both")
    for over in ways:
        mine = read_curve(resampled, ours, at, x=retention, over=over)
        other = read_curve(resampled, theirs, at, x=retention, over=over)
        points[over] = mine - other
        with np.errstate(divide="ignore", invalid="ignore"):
            relative[over] = np.where(other > 0, (mine - other) / other, np.nan)
    return Lead(
        subset=resampled.subset,
        retention=retention,
        at=at,
        ours=measured(read_curve(resampled, ours, at, x=retention)),
        theirs=measured(read_curve(resampled, theirs, at, x=retention)),
        points=measured(points["both"]),
        relative=measured(relative["both"]),
        points_interval={over: interval(draws) for over, draws in points.items()},
        relative_interval={over: interval(draws) for over, draws in relative.items()},
        reach=reach(resampled, [ours, theirs], retention),
        across=(_gap(resampled, ours, at, retention), _gap(resampled, theirs, at, retention)),
    )


def _gap(resampled: Resampled, settings: Sequence[Setting], at: float, figure: str) -> float | None:
    """The distance between the two points that a curve is read between."""
    values = [float(resampled.of(one, figure)[0]) for one in settings]
    below, above = [x for x in values if x <= at], [x for x in values if x >= at]
    return min(above) - max(below) if below and above else None


def leads(
    samples: Sequence[Resampled],
    ours: Sequence[Setting],
    theirs: Sequence[Setting],
    kept_with_eos: float,
) -> list[Lead]:
    """On each subset, by both measures of retention: the paper's, and the typed fraction in it."""
    places = {
        "kept_with_eos": kept_with_eos,
        "typed_fraction": paper.typed_from_kept(kept_with_eos),
    }
    return [
        lead(resampled, ours, theirs, at=at, retention=retention)
        for resampled in samples
        for retention, at in places.items()
    ]


@dataclass(frozen=True, slots=True)
class Everywhere:
    """Two curves compared over the whole range they share."""

    subset: str
    range: tuple[float, float] | None
    levels: int
    ahead: int  # levels at which ours is better
    worst: float | None  # our smallest lead: in points of accuracy, or of retention saved


def ahead_at_every_accuracy(
    resampled: Resampled, ours: Sequence[Setting], theirs: Sequence[Setting]
) -> Everywhere:
    """At the same accuracy, do we keep less? Figure 2 reads its curves this way."""
    return _everywhere(resampled, ours, theirs, x="exact_match", y="kept_with_eos", sign=-1)


def ahead_at_every_retention(
    resampled: Resampled, ours: Sequence[Setting], theirs: Sequence[Setting]
) -> Everywhere:
    """Where as much is kept, do we get more back? Figure 3 reads its curves this way."""
    return _everywhere(resampled, ours, theirs, x="kept_with_eos", y="exact_match", sign=1)


def _everywhere(
    resampled: Resampled,
    ours: Sequence[Setting],
    theirs: Sequence[Setting],
    *,
    x: str,
    y: str,
    sign: int,
) -> Everywhere:
    shared = reach(resampled, [ours, theirs], x)
    if shared is None:
        return Everywhere(resampled.subset, None, 0, 0, None)
    gains = []
    for at in np.linspace(*shared, LEVELS):
        mine, other = (_point_curve(resampled, curve, at, x, y) for curve in (ours, theirs))
        gains.append(sign * (mine - other))
    return Everywhere(
        resampled.subset, shared, LEVELS, sum(gain > 0 for gain in gains), float(min(gains))
    )


def _point_curve(
    resampled: Resampled, settings: Sequence[Setting], at: float, x: str, y: str
) -> float:
    rows = sorted(
        (float(resampled.of(one, x)[0]), float(resampled.of(one, y)[0])) for one in settings
    )
    return float(np.interp(at, [row[0] for row in rows], [row[1] for row in rows]))
