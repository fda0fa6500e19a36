"""Shared parts of figures 2 and 3: Constrained against another objective.

figure2.py and figure3.py state the paper's claims; verdicts on leads, plot and tables of either
figure are made here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure as Canvas

from tersely_lab.reproduction import paper
from tersely_lab.reproduction.bootstrap import Bootstrap, Interval, interval
from tersely_lab.reproduction.curves import Lead, LevelComparison, measure_leads
from tersely_lab.reproduction.document import Column, Draw, Row, Table
from tersely_lab.reproduction.runs import OBJECTIVES, Point
from tersely_lab.reproduction.sweep import Sweep
from tersely_lab.reproduction.verdicts import ON, Verdict, between, percent, points, ruling

EITHER = "by either measure of retention, each being a linear function of the other"
TITLES = {"all": "all test sentences", "matched": "of the paper's length"}
POINT_COLUMNS = (
    Column("subset"),
    Column("scheme"),
    Column("seeds", "count"),
    Column("kept_with_eos", "share"),
    Column("kept_with_eos 95 %", "interval"),
    Column("typed_fraction", "share"),
    Column("typed_fraction 95 %", "interval"),
    Column("exact match", "share"),
    Column("over sentences", "interval"),
    Column("over seeds", "interval"),
    Column("over both", "interval"),
    Column("served", "share"),
    Column("top three", "share"),
    Column("paper kept", "share"),
    Column("paper exact", "share"),
)
LEAD_COLUMNS = (
    Column("subset"),
    Column("retention"),
    Column("at", "share"),
    Column("Constr", "share"),
    Column("other", "share"),
    Column("points", "points"),
    Column("points over sentences", "interval"),
    Column("points over seeds", "interval"),
    Column("points over both", "interval"),
    Column("relative", "relative"),
    Column("relative over both", "interval"),
    Column("paper, points or relative", "points"),
    Column("both curves reach", "interval"),
    Column("Constr read across", "share"),
    Column("other read across", "share"),
)


@dataclass(frozen=True, slots=True)
class Tradeoff:
    """Constrained against another objective at the retention that the paper names."""

    item: str  # of the paper
    sweep: Sweep
    kinds: tuple[str, ...]  # the figure's curves: Constrained, the objective compared, others
    at: float  # kept_with_eos
    claimed: float  # the paper's lead, in points or relative
    leads: tuple[Lead, ...]

    @property
    def other(self) -> str:
        """Name of the objective that Constrained is compared with."""
        return OBJECTIVES[self.kinds[1]].name


def compare(
    sweep: Sweep, item: str, kinds: tuple[str, ...], *, at: float, claimed: float
) -> Tradeoff:
    """Compare the first two kinds, with all curves in the figure."""
    ours, theirs = (sweep.points(kind) for kind in kinds[:2])
    return Tradeoff(
        item, sweep, kinds, at, claimed, tuple(measure_leads(sweep.bootstraps, ours, theirs, at))
    )


def judge_leads(tradeoff: Tradeoff) -> Iterator[Verdict]:
    """Judge whether Constrained is ahead, and whether by as much as the paper claims."""
    claimed = tradeoff.claimed
    for lead in tradeoff.leads:
        where = f"{percent(lead.at)} {lead.retention}, {ON[lead.subset]}"
        in_paper = f"{percent(claimed)} more accurate at {percent(lead.at)} {lead.retention}"
        interval = lead.points_interval["both"]
        yield Verdict(
            tradeoff.item,
            f"Constr is more accurate than {tradeoff.other}",
            in_paper,
            f"which is ahead, at {where}",
            _lead_text(lead, points(lead.points), interval),
            ruling(None if interval is None else interval[0] > 0),
        )
        for unit, value, interval in (
            ("points", points(lead.points), lead.points_interval["both"]),
            ("relative", _relative(lead.relative), lead.relative_interval["both"]),
        ):
            yield Verdict(
                tradeoff.item,
                f"Constr is {percent(claimed)} more accurate than {tradeoff.other}",
                in_paper,
                f"at least as much, read as {unit}, at {where}",
                _lead_text(lead, value, interval),
                ruling(None if interval is None else interval[0] > 0 and interval[1] >= claimed),
            )


def _lead_text(lead: Lead, value: str, interval: Interval | None) -> str:
    if lead.points is not None:
        return f"{value} ({between(interval)}): {percent(lead.ours)} against {percent(lead.theirs)}"
    if lead.shared_range is None:
        return "cannot be read there: there is no retention that both curves cover"
    low, high = lead.shared_range
    return f"cannot be read there: both curves reach from {percent(low)} to {percent(high)}"


def _relative(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:+.2f} % relative"


def judge_levels(item: str, claim: str, comparison: LevelComparison, reading: str) -> Verdict:
    """Judge whether Constrained is ahead at every level that both curves reach."""
    if comparison.shared_range is None:
        ours, holds = "the curves share no such range", None
    else:
        low, high = comparison.shared_range
        ours = (
            f"at {comparison.levels_ahead} of {comparison.levels} levels from {percent(low)} to "
            f"{percent(high)}; smallest lead {points(comparison.smallest_lead)}"
        )
        holds = comparison.levels_ahead == comparison.levels
    reading = f"{reading}, {EITHER}, {ON[comparison.subset]}"
    return Verdict(item, claim, "so at every level", reading, ours, ruling(holds))


def plot(tradeoff: Tradeoff) -> Draw:
    """Draw exact match over kept_with_eos on both subsets, with the paper's points."""

    def draw(canvas: Canvas) -> None:
        for axes, sample in zip(canvas.subplots(1, 2), tradeoff.sweep.bootstraps, strict=True):
            for kind in tradeoff.kinds:
                _plot_curve(axes, sample, tradeoff.sweep.points(kind), kind)
            for kind in tradeoff.kinds:
                _plot_paper(axes, kind)
            axes.axvline(100 * tradeoff.at, color="#999999", linewidth=0.8, linestyle=":")
            axes.set_title(f"{TITLES[sample.subset]}, {sample.sentences:,}", fontsize=10)
            axes.set_xlabel("kept, end mark counted (%)")
            axes.set_ylabel("exact match, greedy (%)")
            axes.legend(frameon=False, fontsize=8)

    return draw


def _plot_curve(axes: Any, sample: Bootstrap, curve: list[Point], kind: str) -> None:
    rows = []
    for point in curve:
        exact = sample.value(point, "exact_match")
        low, high = interval(sample.of(point, "exact_match")) or (exact, exact)
        kept = sample.value(point, "kept_with_eos")
        rows.append([100 * value for value in (kept, exact, low, high)])
    if not rows:
        return
    x, y, below, above = zip(*sorted(rows), strict=True)
    objective = OBJECTIVES[kind]
    axes.plot(x, y, "-o", color=objective.color, markersize=4, label=objective.name)
    axes.vlines(x, below, above, color=objective.color, linewidth=1)


def _plot_paper(axes: Any, kind: str) -> None:
    pairs = sorted(
        (100 * paper.KEPT_WITH_EOS[scheme], 100 * (paper.exact_match(scheme, scheme) or 0.0))
        for scheme in paper.DECODERS
        if scheme[0] == kind
    )
    if pairs:
        axes.plot(
            *zip(*pairs, strict=True),
            "x",
            color=OBJECTIVES[kind].color,
            markersize=5,
            alpha=0.6,
            label=f"{OBJECTIVES[kind].name}, paper (table 2)",
        )


def lead_table(tradeoff: Tradeoff) -> Table:
    """List the leads on both subsets, by both measures of retention."""
    rows: list[Row] = [
        (
            lead.subset,
            lead.retention,
            lead.at,
            lead.ours,
            lead.theirs,
            lead.points,
            *(lead.points_interval[over] for over in ("sentences", "seeds", "both")),
            lead.relative,
            lead.relative_interval["both"],
            tradeoff.claimed,
            lead.shared_range,
            *lead.widths,
        )
        for lead in tradeoff.leads
    ]
    caption = (
        f"Constr against {tradeoff.other}, interpolated between the points of each curve. "
        "typed_fraction is read where the paper's retention K puts it, at (K − 12.5) / 87.5"
    )
    return Table(f"lead-over-{tradeoff.other.lower()}", caption, LEAD_COLUMNS, rows)


def point_table(tradeoff: Tradeoff) -> Table:
    """List the points of every curve in the figure."""
    rows = [
        _point_row(sample, point)
        for sample in tradeoff.sweep.bootstraps
        for kind in tradeoff.kinds
        for point in tradeoff.sweep.points(kind)
    ]
    name = f"points-{tradeoff.item.lower().replace(' ', '-')}"
    caption = "The points of the curves: means over seeds, with the paper's numbers from table 2"
    return Table(name, caption, POINT_COLUMNS, rows)


def _point_row(sample: Bootstrap, point: Point) -> Row:
    scheme = (point.kind, point.parameter)
    has_seeds = len(point.runs) > 1
    return (
        sample.subset,
        point.label,
        len(point.runs),
        sample.value(point, "kept_with_eos"),
        interval(sample.of(point, "kept_with_eos")),
        sample.value(point, "typed_fraction"),
        interval(sample.of(point, "typed_fraction")),
        sample.value(point, "exact_match"),
        interval(sample.of(point, "exact_match", "sentences")),
        interval(sample.of(point, "exact_match", "seeds")) if has_seeds else None,
        interval(sample.of(point, "exact_match", "both")),
        sample.value(point, "exact_match_served"),
        sample.value(point, "top3"),
        paper.KEPT_WITH_EOS.get(scheme),
        paper.exact_match(scheme, scheme),
    )
