"""Figure 2: exact match over retention, Constrained against Linear."""

from collections.abc import Iterator

from tersely_lab.reproduction import paper, tradeoff
from tersely_lab.reproduction.curves import compare_at_every_accuracy
from tersely_lab.reproduction.document import Figure, Section
from tersely_lab.reproduction.sweep import Sweep
from tersely_lab.reproduction.tradeoff import Tradeoff
from tersely_lab.reproduction.verdicts import Reproduction, Verdict


def reproduce(sweep: Sweep) -> Reproduction:
    """Compare Constrained with Linear."""
    figure = tradeoff.compare(
        sweep,
        "Figure 2",
        ("constrained", "linear"),
        at=paper.LEAD_OVER_LINEAR_AT,
        claimed=paper.LEAD_OVER_LINEAR,
    )
    return Reproduction(tuple(judge(figure)), (section(figure),))


def judge(figure: Tradeoff) -> Iterator[Verdict]:
    """Judge the lead over Linear at 53.38 % retention and at every accuracy level."""
    yield from tradeoff.judge_leads(figure)
    ours, linear = (figure.sweep.points(kind) for kind in figure.kinds)
    for sample in figure.sweep.bootstraps:
        yield tradeoff.judge_levels(
            figure.item,
            "Constr is more efficient than Linear at every accuracy level",
            compare_at_every_accuracy(sample, ours, linear),
            "kept less at the same exact match",
        )


def section(figure: Tradeoff) -> Section:
    """Lay out plot, leads and points."""
    caption = (
        "Exact match over retention, Constr and Linear. Vertical lines: 95 % intervals over "
        "sentences and seeds; crosses: the paper's table 2; dotted line: 53.38 % retention"
    )
    return Section(
        "Constrained against Linear (figure 2)",
        (
            Figure("figure-2", caption, tradeoff.plot(figure)),
            tradeoff.lead_table(figure),
            tradeoff.point_table(figure),
        ),
    )
