"""Stability: retention by λ and ε, and the course of the runs."""

from tersely_lab.reproduction.analysis import Analysis
from tersely_lab.reproduction.report import plots
from tersely_lab.reproduction.report.document import (
    Block,
    Column,
    Figure,
    Section,
    Table,
    Text,
    Value,
)
from tersely_lab.reproduction.runs import NAMES, SYMBOLS
from tersely_lab.reproduction.stability import degenerate


def section(analysis: Analysis) -> Section:
    """Lay it out."""
    blocks: list[Block] = [
        Figure(
            "retention-by-parameter",
            "Tokens typed over λ (Linear; grey: where the paper's scheme tips from none to all) "
            "and over ε (Constr); a dot a run",
            plots.retention_by_parameter(analysis),
        ),
        _parameters(analysis),
        _spreads(analysis),
    ]
    for kind in ("constrained", "linear"):
        runs = [one.runs[0] for one in analysis.curve(kind)]
        if runs:
            blocks.append(
                Figure(
                    f"course-{kind}",
                    f"The course of {NAMES[kind]}, first seed: kept and loss on dev, and λ",
                    plots.courses(runs),
                    (11.0, 3.8),
                )
            )
    blocks += [_descents(analysis), _controls(analysis)]
    if not analysis.curve("linear"):
        blocks.append(Text("No Linear run is finished: nothing can be said of λ."))
    return Section("Stability", tuple(blocks))


def _parameters(analysis: Analysis) -> Table:
    whole, short = analysis.samples
    rows: list[tuple[Value, ...]] = []
    for kind in ("linear", "constrained"):
        for one in analysis.curve(kind):
            typed = float(whole.of(one, "typed_fraction")[0])
            own = [float(whole.figures[run.name]["typed_fraction"][0]) for run in one.runs]
            rows.append(
                (
                    NAMES[kind],
                    SYMBOLS[kind],
                    one.parameter,
                    len(one.runs),
                    float(whole.of(one, "kept_with_eos")[0]),
                    typed,
                    (min(own), max(own)),
                    float(short.of(one, "kept_with_eos")[0]),
                    float(short.of(one, "typed_fraction")[0]),
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


def _spreads(analysis: Analysis) -> Table:
    columns = (
        Column("objective"),
        Column("points", "count"),
        Column("variation of gaps", "number"),
        Column("largest gap", "share"),
        Column("most a doubling moves", "share"),
    )
    rows = [
        (NAMES[kind], one.points, one.gap_variation, one.largest_gap, one.most_a_doubling)
        for kind, one in analysis.spreads.items()
    ]
    caption = (
        "How evenly the points lie: gaps between neighbours' typed_fraction (standard deviation "
        "over mean; the same for kept_with_eos, a linear function of it), and how far "
        "typed_fraction moves when the parameter is doubled"
    )
    return Table("spread", caption, columns, rows)


def _descents(analysis: Analysis) -> Table:
    columns = (
        Column("run"),
        Column("scheme"),
        Column("kept early, at most", "share"),
        Column("kept at the end", "share"),
        Column("largest step, of the way", "share"),
        Column("most first, then slowly fewer", "yes"),
    )
    rows = [
        (one.name, one.label, one.early_peak, one.end, one.largest_step, one.is_as_described)
        for one in analysis.descents
    ]
    return Table("descent", "How Constr runs came down, on dev", columns, rows)


def _controls(analysis: Analysis) -> Table:
    columns = (
        Column("run"),
        Column("ε", "number"),
        Column("loss on test, nats a token", "number"),
        Column("loss on dev", "number"),
        Column("λ at the end", "number"),
        Column("loss ≤ ε", "yes"),
    )
    rows = [
        (one.name, one.epsilon, one.test_loss, one.dev_loss, one.final_weight, one.is_met)
        for one in analysis.controls
    ]
    caption = (
        "Whether ε is kept. In training masks are sampled; here tokens likelier kept than not are "
        "typed, and what is judged was not trained on"
    )
    return Table("epsilon", caption, columns, rows)
