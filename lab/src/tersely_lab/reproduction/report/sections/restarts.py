"""Random restarts."""

from tersely_lab.reproduction import paper
from tersely_lab.reproduction.analysis import Analysis
from tersely_lab.reproduction.report.document import Block, Column, Section, Table, Text, Value

COLUMNS = (
    Column("subset"),
    Column("scheme"),
    Column("seeds"),
    Column("kept_with_eos, first", "share"),
    Column("second", "share"),
    Column("typed_fraction, first", "share"),
    Column("typed_fraction, second", "share"),
    Column("exact match, first", "share"),
    Column("exact match, second", "share"),
    Column("difference over sentences", "interval"),
    Column("token retention apart", "share"),
    Column("over token types", "interval"),
)


def section(analysis: Analysis) -> Section:
    """Lay it out."""
    kept, exact = paper.RESTARTS_KEPT, paper.RESTARTS_EXACT
    theirs: tuple[Value, ...] = (
        "all",
        "Constr, paper",
        "–",
        *kept,
        None,
        None,
        *exact,
        None,
        paper.RESTARTS_TOKEN_DIFFERENCE,
        None,
    )
    rows: list[tuple[Value, ...]] = [
        (
            one.subset,
            one.label,
            f"{one.first.seed}, {one.second.seed}",
            *one.kept_with_eos,
            *one.typed_fraction,
            *one.exact_match,
            one.exact_interval,
            one.token_difference,
            one.token_interval,
        )
        for one in analysis.pairs
    ]
    caption = (
        "Runs that differ in their seed alone. Token retention apart: the difference of a token "
        "type's kept share, averaged over types by frequency; Unif draws the same coins for a "
        "sentence whatever the seed, so its keywords do not differ"
    )
    blocks: list[Block] = [Table("restarts", caption, COLUMNS, [theirs, *rows])]
    if not rows:
        blocks.append(Text("No setting has two finished seeds."))
    return Section("Restarts", tuple(blocks))
