"""Stability: what λ and ε do to retention (section 3).

The paper's claims: slight changes of λ make Linear keep all tokens or none, while Constrained's
points are evenly spaced by ε. Spacing is measured in two ways: by the gaps between neighbouring
points, which depend on the grid of parameters, and by how far retention moves when the
parameter is doubled, which hardly does.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure as Canvas

from tersely_lab.reproduction import paper, training_curves
from tersely_lab.reproduction.document import Block, Column, Draw, Figure, Row, Section, Table, Text
from tersely_lab.reproduction.runs import OBJECTIVES, Point
from tersely_lab.reproduction.sweep import Sweep
from tersely_lab.reproduction.verdicts import Reproduction, Verdict, number, percent, ruling

ITEM = "Stability"
KEEPS_NONE_UP_TO, KEEPS_ALL_FROM = 0.02, 0.98  # typed fractions of a degenerate scheme


@dataclass(frozen=True, slots=True)
class Spacing:
    """How evenly the points of one objective are spaced in typed fraction."""

    points: int
    gap_variation: float | None  # standard deviation of the gaps between neighbours over the mean
    largest_gap: float | None
    max_move_per_doubling: float | None  # of typed fraction, per doubling of the parameter


def reproduce(sweep: Sweep) -> Reproduction:
    """Relate retention to λ and ε, and follow the runs through training."""
    spacings = {kind: _spacing_of(sweep, kind) for kind in ("constrained", "linear")}
    curves = training_curves.compute(sweep)
    return Reproduction(
        (*judge(sweep, spacings), *training_curves.judge(curves)),
        (section(sweep, spacings, training_curves.blocks(curves)),),
    )


def degenerate(typed_fraction: float) -> str | None:
    """Return "all" or "none" if a scheme keeps nearly all or nearly no tokens."""
    if typed_fraction <= KEEPS_NONE_UP_TO:
        return "none"
    return "all" if typed_fraction >= KEEPS_ALL_FROM else None


def _spacing_of(sweep: Sweep, kind: str) -> Spacing:
    points = sweep.points(kind)
    sample = sweep.all_sentences
    return measure_spacing(
        points, {point.label: sample.value(point, "typed_fraction") for point in points}
    )


def measure_spacing(points: Sequence[Point], typed: Mapping[str, float]) -> Spacing:
    """Measure how evenly points are spaced; `typed` maps labels to typed fractions."""
    gaps = np.diff(sorted(typed[point.label] for point in points))
    by_parameter = sorted((point.parameter, typed[point.label]) for point in points)
    moves = [
        abs(high - low) / math.log2(after / before)
        for (before, low), (after, high) in pairwise(by_parameter)
        if before > 0
    ]
    mean = float(gaps.mean()) if len(gaps) else 0.0
    return Spacing(
        points=len(points),
        gap_variation=float(gaps.std() / mean) if len(gaps) > 1 and mean > 0 else None,
        largest_gap=float(gaps.max()) if len(gaps) else None,
        max_move_per_doubling=max(moves, default=None),
    )


def judge(sweep: Sweep, spacings: Mapping[str, Spacing]) -> Iterator[Verdict]:
    """Judge the claims about λ and ε."""
    linear = [
        (point.parameter, sweep.all_sentences.value(point, "typed_fraction"))
        for point in sweep.points("linear")
    ]
    yield _linear_degenerates_outside_the_papers_weights(linear)
    yield _linear_degenerates_at_half_of_the_points(linear)
    yield from _even_spacing(spacings)
    yield _seed_range(sweep)


def _linear_degenerates_outside_the_papers_weights(
    linear: Sequence[tuple[float, float]],
) -> Verdict:
    low, high = paper.LINEAR_KEEPS_NONE_UP_TO, paper.LINEAR_KEEPS_ALL_FROM
    judged = [
        (weight, typed, "none" if weight <= low else "all")
        for weight, typed in linear
        if weight <= low or weight >= high
    ]
    is_as_claimed = [degenerate(typed) == claimed for _, typed, claimed in judged]
    return Verdict(
        ITEM,
        f"Linear keeps none for λ ≤ {low} and all for λ ≥ {high}",
        f"λ ≤ {low} and λ ≥ {high}",
        "typed_fraction at most 2 % or at least 98 %, all test sentences",
        "; ".join(f"λ = {weight:g}: {percent(typed)} typed" for weight, typed, _ in judged)
        or "no Linear run with such a λ",
        ruling(all(is_as_claimed) if judged else None),
    )


def _linear_degenerates_at_half_of_the_points(linear: Sequence[tuple[float, float]]) -> Verdict:
    texts = [
        f"λ = {weight:g} keeps {degenerate(typed)}" for weight, typed in linear if degenerate(typed)
    ]
    return Verdict(
        ITEM,
        "Slight changes of λ give degenerate schemes that keep all or none",
        "e.g. λ ≤ 4.2 and λ ≥ 4.4",
        "at least half of the Linear points are degenerate, wherever they lie",
        f"{len(texts)} of {len(linear)} points" + (f": {'; '.join(texts)}" if texts else ""),
        ruling(len(texts) >= len(linear) / 2 if len(linear) > 1 else None),
    )


def _even_spacing(spacings: Mapping[str, Spacing]) -> Iterator[Verdict]:
    epsilon, weight = spacings["constrained"], spacings["linear"]
    readings = {
        "variation of the gaps between neighbours' typed_fraction (depends on the grid)": (
            epsilon.gap_variation,
            weight.gap_variation,
        ),
        "most that typed_fraction moves when ε or λ is doubled": (
            epsilon.max_move_per_doubling,
            weight.max_move_per_doubling,
        ),
    }
    for reading, (ours, theirs) in readings.items():
        yield Verdict(
            ITEM,
            "Points for ε are more evenly spaced than for λ",
            "no figure",
            reading,
            f"ε: {number(ours)} over {epsilon.points} points; "
            f"λ: {number(theirs)} over {weight.points}",
            ruling(None if ours is None or theirs is None else ours < theirs),
        )


def _seed_range(sweep: Sweep) -> Verdict:
    """Compare restarts: the paper shows none of Linear, but they test "unstable" directly."""
    largest = {}
    for kind in ("constrained", "linear"):
        ranges = []
        for point in sweep.points(kind):
            typed = [run.outcomes.typed.sum() / run.outcomes.tokens.sum() for run in point.runs]
            if len(typed) > 1:
                ranges.append(float(np.ptp(typed)))
        largest[kind] = max(ranges, default=None)
    ours, theirs = largest["constrained"], largest["linear"]
    return Verdict(
        ITEM,
        "Constr is substantially more stable than Linear",
        "no figure",
        "largest range of typed_fraction over seeds of one setting",
        f"Constr: {percent(ours)}; Linear: {percent(theirs)}",
        ruling(None if ours is None or theirs is None else ours < theirs),
    )


def section(
    sweep: Sweep, spacings: Mapping[str, Spacing], training_blocks: Sequence[Block]
) -> Section:
    """Lay out retention by parameter, spacing, and the training curves."""
    blocks: list[Block] = [
        Figure(
            "retention-by-parameter",
            "Tokens typed over λ (Linear; grey: where the paper's scheme changes from keeping none "
            "to keeping all) and over ε (Constr), one dot per run",
            plot_retention(sweep),
        ),
        _parameter_table(sweep),
        _spacing_table(spacings),
        *training_blocks,
    ]
    if not sweep.points("linear"):
        blocks.append(Text("No Linear run is finished: the claims about λ cannot be judged."))
    return Section("Stability", tuple(blocks))


def plot_retention(sweep: Sweep) -> Draw:
    """Draw the typed fraction over λ and over ε, one dot per run."""

    def draw(canvas: Canvas) -> None:
        sample = sweep.all_sentences
        for axes, kind in zip(canvas.subplots(1, 2), ("linear", "constrained"), strict=True):
            points, color = sweep.points(kind), OBJECTIVES[kind].color
            typed = [100 * sample.value(point, "typed_fraction") for point in points]
            axes.plot([point.parameter for point in points], typed, "-", color=color)
            for point in points:
                dots = [100 * sample.run_value(run, "typed_fraction") for run in point.runs]
                axes.plot([point.parameter] * len(dots), dots, "o", color=color, markersize=4)
            axes.set_ylim(-3, 103)
            axes.set_title(OBJECTIVES[kind].name, fontsize=10)
            axes.set_xlabel(OBJECTIVES[kind].symbol)
            axes.set_ylabel("tokens typed (%)")
            if kind == "linear":
                limits = (paper.LINEAR_KEEPS_NONE_UP_TO, paper.LINEAR_KEEPS_ALL_FROM)
                axes.axvspan(*limits, color="#999999", alpha=0.3, linewidth=0)

    return draw


def _parameter_table(sweep: Sweep) -> Table:
    whole, short = sweep.bootstraps
    rows: list[Row] = []
    for kind in ("linear", "constrained"):
        for point in sweep.points(kind):
            typed = whole.value(point, "typed_fraction")
            by_seed = [whole.run_value(run, "typed_fraction") for run in point.runs]
            rows.append(
                (
                    OBJECTIVES[kind].name,
                    OBJECTIVES[kind].symbol,
                    point.parameter,
                    len(point.runs),
                    whole.value(point, "kept_with_eos"),
                    typed,
                    (min(by_seed), max(by_seed)),
                    short.value(point, "kept_with_eos"),
                    short.value(point, "typed_fraction"),
                    degenerate(typed),
                )
            )
    columns = (
        Column("objective"),
        Column("parameter"),
        Column("value", "number"),
        Column("seeds", "count"),
        Column("kept_with_eos", "share"),
        Column("typed_fraction", "share"),
        Column("range over seeds", "interval"),
        Column("kept_with_eos, short", "share"),
        Column("typed_fraction, short", "share"),
        Column("degenerate: keeps"),
    )
    caption = "Retention by parameter; degenerate: at most 2 % or at least 98 % of tokens typed"
    return Table("retention-by-parameter", caption, columns, rows)


def _spacing_table(spacings: Mapping[str, Spacing]) -> Table:
    columns = (
        Column("objective"),
        Column("points", "count"),
        Column("variation of gaps", "number"),
        Column("largest gap", "share"),
        Column("most a doubling moves", "share"),
    )
    rows = [
        (
            OBJECTIVES[kind].name,
            spacing.points,
            spacing.gap_variation,
            spacing.largest_gap,
            spacing.max_move_per_doubling,
        )
        for kind, spacing in spacings.items()
    ]
    caption = (
        "Spacing of the points: gaps between neighbours' typed_fraction (standard deviation "
        "over mean; the same for kept_with_eos, a linear function of it), and how far "
        "typed_fraction moves when the parameter is doubled"
    )
    return Table("spread", caption, columns, rows)
