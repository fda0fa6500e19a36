"""Figure 3: exact match over retention, Constrained against the rules Unif and Stopword."""

from collections.abc import Iterator

from tersely_lab.reproduction import paper, tradeoff
from tersely_lab.reproduction.bootstrap import Bootstrap
from tersely_lab.reproduction.curves import compare_at_every_retention, read_curve
from tersely_lab.reproduction.document import Figure, Section
from tersely_lab.reproduction.sweep import Sweep
from tersely_lab.reproduction.tradeoff import Tradeoff
from tersely_lab.reproduction.verdicts import ON, Reproduction, Verdict, percent, points, ruling


def reproduce(sweep: Sweep) -> Reproduction:
    """Compare Constrained with Unif and Stopword."""
    figure = tradeoff.compare(
        sweep,
        "Figure 3",
        ("constrained", "unif", "stopword"),
        at=paper.LEAD_OVER_UNIF_AT,
        claimed=paper.LEAD_OVER_UNIF,
    )
    return Reproduction(tuple(judge(figure)), (section(figure),))


def judge(figure: Tradeoff) -> Iterator[Verdict]:
    """Judge the lead over Unif at 77.37 % retention, and all three curves."""
    yield from tradeoff.judge_leads(figure)
    for sample in figure.sweep.bootstraps:
        yield _ahead_of(figure, sample, "unif")
        yield _similar_rules(figure, sample)
    for sample in figure.sweep.bootstraps:
        yield _ahead_of(figure, sample, "stopword")


def _ahead_of(figure: Tradeoff, sample: Bootstrap, kind: str) -> Verdict:
    ours, theirs = figure.sweep.points("constrained"), figure.sweep.points(kind)
    return tradeoff.judge_levels(
        figure.item,
        f"Constr improves the trade-off over {kind.capitalize()}",
        compare_at_every_retention(sample, ours, theirs),
        "more exact match where as much is kept",
    )


def _similar_rules(figure: Tradeoff, sample: Bootstrap) -> Verdict:
    """Judge similarity: Unif and Stopword are closer to each other than Constr is to Unif."""
    texts, is_closer = [], []
    for point in figure.sweep.points("stopword"):
        at = sample.value(point, "kept_with_eos")
        unif, ours = (
            float(read_curve(sample, figure.sweep.points(kind), at, x="kept_with_eos")[0])
            for kind in ("unif", "constrained")
        )
        if unif != unif or ours != ours:  # NaN: beyond a curve's ends
            continue
        difference = sample.value(point, "exact_match") - unif
        texts.append(
            f"at {percent(at)} {point.label} is {points(difference)} from Unif, "
            f"Constr {points(ours - unif)}"
        )
        is_closer.append(abs(difference) < abs(ours - unif))
    return Verdict(
        figure.item,
        "Unif and Stopword achieve similar trade-off curves",
        "similar",
        f"closer to each other than Constr to Unif, at kept_with_eos of each Stopword point, "
        f"{ON[sample.subset]}",
        "; ".join(texts) or "no Stopword point lies where all three curves can be read",
        ruling(all(is_closer) if is_closer else None),
    )


def section(figure: Tradeoff) -> Section:
    """Lay out plot, leads and points."""
    caption = (
        "Exact match over retention, Constr, Unif and Stopword. Dotted line: 77.37 % retention"
    )
    return Section(
        "Constrained against Unif and Stopword (figure 3)",
        (
            Figure("figure-3", caption, tradeoff.plot(figure)),
            tradeoff.lead_table(figure),
            tradeoff.point_table(figure),
        ),
    )
