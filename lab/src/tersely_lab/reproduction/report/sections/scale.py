"""What it took, and what the paper's size would take."""

from tersely_lab.reproduction import paper
from tersely_lab.reproduction.analysis import Analysis
from tersely_lab.reproduction.report.document import Block, Column, Section, Table, Text, Value
from tersely_lab.reproduction.scale import FACTORS, at_the_papers_size


def section(analysis: Analysis) -> Section:
    """Lay it out."""
    scale = analysis.scale
    blocks: list[Block] = [
        Text(
            f"{scale.hours:.1f} hours of training in all, one run after another"
            + (f", {scale.tokens / 1e6:,.0f} million tokens" if scale.tokens else "")
            + (
                f", at {scale.tokens_per_second:,.0f} tokens a second (median of the runs' logs, "
                "by the clock: other work on the machine slows it)."
                if scale.tokens_per_second
                else "."
            )
        ),
        _runs(analysis),
    ]
    if scale.tokens_per_second:
        blocks.append(_larger(analysis, scale.tokens_per_second))
    return Section("What it took", tuple(blocks))


def _runs(analysis: Analysis) -> Table:
    columns = (
        Column("run"),
        Column("steps", "count"),
        Column("ended by"),
        Column("minutes", "number"),
        Column("train sentences", "count"),
        Column("tokens gone through", "count"),
        Column("tokens a second", "count"),
    )
    rows: list[tuple[Value, ...]] = [
        (
            one.name,
            one.steps,
            one.ending,
            one.seconds / 60,
            one.train_sentences,
            one.tokens,
            one.tokens_per_second,
        )
        for one in analysis.scale.runs
    ]
    return Table("scale", "Size and time of each run", columns, rows)


def _larger(analysis: Analysis, pace: float) -> Table:
    scale = analysis.scale
    columns = (
        Column("tokens a second", "count"),
        Column("times ours", "count"),
        Column("hours, as it was", "number"),
        Column("hours, 500,000 sentences", "number"),
    )
    rows: list[tuple[Value, ...]] = [
        (
            factor * pace,
            factor,
            scale.hours_at(factor * pace, sentences=scale.train_sentences),
            at_the_papers_size(scale, factor * pace),
        )
        for factor in (1, *FACTORS)
    ]
    caption = (
        f"The same runs with as many passes over {paper.TRAIN_SENTENCES:,} sentences. The first "
        "row is our measured pace; the others are arithmetic, tokens over pace, for a GPU so many "
        "times as fast: none was at hand, so no such pace was measured. At "
        f"{paper.UNITS} units instead of {scale.units} a step multiplies more; that is not in here"
    )
    return Table("larger", caption, columns, rows)
