"""Figures 2 and 3: accuracy over retention."""

from collections.abc import Sequence

from tersely_lab.reproduction import paper
from tersely_lab.reproduction.analysis import Analysis
from tersely_lab.reproduction.report import plots
from tersely_lab.reproduction.report.document import Column, Figure, Section, Table, Value
from tersely_lab.reproduction.resampling import Resampled, interval
from tersely_lab.reproduction.runs import Setting
from tersely_lab.reproduction.tradeoff import Lead

POINTS = (
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
LEADS = (
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


def against_linear(analysis: Analysis) -> Section:
    """Figure 2."""
    kinds = ("constrained", "linear")
    return Section(
        "Constrained against Linear (figure 2)",
        (
            Figure(
                "figure-2",
                "Exact match over retention, Constr and Linear; lines are 95 % intervals over "
                "sentences and seeds, crosses the paper's own pairs of table 2, dots at 53.38 %",
                plots.tradeoff(analysis, kinds, paper.LEAD_OVER_LINEAR_AT),
            ),
            _leads("lead-over-linear", "Linear", analysis.over_linear, paper.LEAD_OVER_LINEAR),
            _points("points-figure-2", analysis, kinds),
        ),
    )


def against_rules(analysis: Analysis) -> Section:
    """Figure 3."""
    kinds = ("constrained", "unif", "stopword")
    return Section(
        "Constrained against Unif and Stopword (figure 3)",
        (
            Figure(
                "figure-3",
                "Exact match over retention, Constr, Unif and Stopword; dots at 77.37 %",
                plots.tradeoff(analysis, kinds, paper.LEAD_OVER_UNIF_AT),
            ),
            _leads("lead-over-unif", "Unif", analysis.over_unif, paper.LEAD_OVER_UNIF),
            _points("points-figure-3", analysis, kinds),
        ),
    )


def _leads(name: str, other: str, found: Sequence[Lead], claimed: float) -> Table:
    rows: list[tuple[Value, ...]] = [
        (
            one.subset,
            one.retention,
            one.at,
            one.ours,
            one.theirs,
            one.points,
            *(one.points_interval[over] for over in ("sentences", "seeds", "both")),
            one.relative,
            one.relative_interval["both"],
            claimed,
            one.reach,
            *one.across,
        )
        for one in found
    ]
    caption = (
        f"Constr against {other}, read between the points of either curve; the typed fraction is "
        "that which the paper's retention stands for ((K − 12.5) / 87.5)"
    )
    return Table(name, caption, LEADS, rows)


def _points(name: str, analysis: Analysis, kinds: Sequence[str]) -> Table:
    rows = [
        _point(sample, setting)
        for sample in analysis.samples
        for kind in kinds
        for setting in analysis.curve(kind)
    ]
    caption = "The points: means over seeds, with the paper's own pair from table 2 beside them"
    return Table(name, caption, POINTS, rows)


def _point(sample: Resampled, setting: Setting) -> tuple[Value, ...]:
    scheme = (setting.kind, setting.parameter)
    kept, typed = (sample.of(setting, name) for name in ("kept_with_eos", "typed_fraction"))
    several = len(setting.runs) > 1
    return (
        sample.subset,
        setting.label,
        len(setting.runs),
        float(kept[0]),
        interval(kept),
        float(typed[0]),
        interval(typed),
        float(sample.of(setting, "exact_match")[0]),
        interval(sample.of(setting, "exact_match", "sentences")),
        interval(sample.of(setting, "exact_match", "seeds")) if several else None,
        interval(sample.of(setting, "exact_match", "both")),
        float(sample.of(setting, "exact_match_served")[0]),
        float(sample.of(setting, "top3")[0]),
        paper.KEPT_WITH_EOS.get(scheme),
        paper.exact_match(scheme, scheme),
    )
