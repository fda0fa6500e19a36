"""Figures 2 and 3: Constrained against Linear, Unif and Stopword."""

from collections.abc import Iterator, Sequence

from tersely_lab.reproduction import paper
from tersely_lab.reproduction.analysis import Analysis
from tersely_lab.reproduction.resampling import Interval, Resampled
from tersely_lab.reproduction.tradeoff import (
    Everywhere,
    Lead,
    ahead_at_every_accuracy,
    ahead_at_every_retention,
    read_curve,
)
from tersely_lab.reproduction.verdicts import ON, Verdict, between, percent, points, ruling

EITHER = "by either measure of retention, each being a linear function of the other"


def judge(analysis: Analysis) -> Iterator[Verdict]:
    """Say of each claim about the trade-off whether it holds."""
    ours, linear, unif, stopword = (
        analysis.curve(kind) for kind in ("constrained", "linear", "unif", "stopword")
    )
    yield from _leads("Figure 2", "Linear", analysis.over_linear, paper.LEAD_OVER_LINEAR)
    for sample in analysis.samples:
        yield _everywhere(
            "Figure 2",
            "Constr is more efficient than Linear at every accuracy level",
            ahead_at_every_accuracy(sample, ours, linear),
            f"kept less at the same exact match, {EITHER}",
        )
    yield from _leads("Figure 3", "Unif", analysis.over_unif, paper.LEAD_OVER_UNIF)
    for sample in analysis.samples:
        yield _everywhere(
            "Figure 3",
            "Constr improves the trade-off over Unif",
            ahead_at_every_retention(sample, ours, unif),
            f"more exact match where as much is kept, {EITHER}",
        )
        yield _similar_baselines(sample, analysis)
    for sample in analysis.samples:
        yield _everywhere(
            "Figure 3",
            "Constr improves the trade-off over Stopword",
            ahead_at_every_retention(sample, ours, stopword),
            f"more exact match where as much is kept, {EITHER}",
        )


def _leads(item: str, other: str, found: Sequence[Lead], claimed: float) -> Iterator[Verdict]:
    for lead in found:
        where = f"{percent(lead.at)} {lead.retention}, {ON[lead.subset]}"
        paper_says = f"{percent(claimed)} more accurate at {percent(lead.at)} {lead.retention}"
        yield Verdict(
            item,
            f"Constr is more accurate than {other}",
            paper_says,
            f"which is ahead, at {where}",
            _told(lead, points(lead.points), lead.points_interval["both"]),
            ruling(_is_ahead(lead.points_interval["both"])),
        )
        for unit, value, interval in (
            ("points", points(lead.points), lead.points_interval["both"]),
            ("relative", _relative(lead.relative), lead.relative_interval["both"]),
        ):
            yield Verdict(
                item,
                f"Constr is {percent(claimed)} more accurate than {other}",
                paper_says,
                f"at least as much, read as {unit}, at {where}",
                _told(lead, value, interval),
                ruling(_is_as_much(interval, claimed)),
            )


def _told(lead: Lead, value: str, interval: Interval | None) -> str:
    if lead.points is None:
        return f"cannot be read there: {_reach(lead.reach)}"
    return f"{value} ({between(interval)}): {percent(lead.ours)} against {percent(lead.theirs)}"


def _reach(reach: tuple[float, float] | None) -> str:
    if reach is None:
        return "there is no retention that both curves cover"
    return f"both curves reach from {percent(reach[0])} to {percent(reach[1])}"


def _relative(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:+.2f} % relative"


def _is_ahead(interval: Interval | None) -> bool | None:
    return None if interval is None else interval[0] > 0


def _is_as_much(interval: Interval | None, claimed: float) -> bool | None:
    """Ahead beyond doubt, and the claimed figure not out of reach."""
    return None if interval is None else interval[0] > 0 and interval[1] >= claimed


def _everywhere(item: str, claim: str, found: Everywhere, reading: str) -> Verdict:
    if found.range is None:
        told, holds = "the curves share no such range", None
    else:
        low, high = found.range
        told = (
            f"at {found.ahead} of {found.levels} levels from {percent(low)} to {percent(high)}; "
            f"smallest lead {points(found.worst)}"
        )
        holds = found.ahead == found.levels
    return Verdict(
        item, claim, "so at every level", f"{reading}, {ON[found.subset]}", told, ruling(holds)
    )


def _similar_baselines(sample: Resampled, analysis: Analysis) -> Verdict:
    """Similar is read as: closer to each other than Constr is to Unif."""
    told, close = [], []
    for one in analysis.curve("stopword"):
        at = float(sample.of(one, "kept_with_eos")[0])
        unif, ours = (
            float(read_curve(sample, analysis.curve(kind), at, x="kept_with_eos")[0])
            for kind in ("unif", "constrained")
        )
        if unif != unif or ours != ours:
            continue
        apart = float(sample.of(one, "exact_match")[0]) - unif
        told.append(
            f"at {percent(at)} {one.label} is {points(apart)} from Unif, "
            f"Constr {points(ours - unif)}"
        )
        close.append(abs(apart) < abs(ours - unif))
    return Verdict(
        "Figure 3",
        "Unif and Stopword achieve similar trade-off curves",
        "similar",
        f"closer to each other than Constr to Unif, at kept_with_eos of each Stopword point, "
        f"{ON[sample.subset]}",
        "; ".join(told) or "no Stopword point lies where all three curves can be read",
        ruling(all(close) if close else None),
    )
