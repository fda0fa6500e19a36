"""Table 1 and appendix B."""

from collections.abc import Sequence

from tersely_lab.reproduction import paper
from tersely_lab.reproduction.analysis import Analysis
from tersely_lab.reproduction.examples import Completed, Illustration
from tersely_lab.reproduction.report.document import Block, Column, Section, Table, Text, Value

TITLE = "Examples (table 1, appendix B)"


def section(analysis: Analysis) -> Section:
    """Lay it out."""
    found, run = analysis.examples, analysis.studied
    if found is None or run is None or not found.completed:
        return Section(TITLE, (Text("No model was at hand to complete the examples."),))
    own = [one for one in found.completed if one.run == run.name]
    blocks: list[Block] = [
        _completed("examples", f"Table 1's keywords, completed by {run.label}", own),
        _completed("examples-all", "The same by every model", found.completed, is_shown=False),
        *(
            _illustration(number, one)
            for number, one in enumerate(
                (one for one in found.illustrations if one.run == run.name), 1
            )
        ),
    ]
    return Section(TITLE, tuple(blocks))


def _completed(
    name: str,
    caption: str,
    rows: Sequence[Completed],
    *,
    is_shown: bool = True,
) -> Table:
    columns = tuple(
        map(
            Column,
            ("scheme", "sentence", "specified", "keywords", "place", "ours", "the paper's"),
        )
    )
    theirs = {one.keywords: one.suggestions for one in paper.EXAMPLES}
    return Table(
        name,
        caption,
        columns,
        [
            (
                one.label,
                one.sentence,
                one.specified,
                one.keywords,
                "–" if one.place is None else str(one.place),
                " / ".join(one.suggestions),
                " / ".join(theirs.get(one.keywords, ())),
            )
            for one in rows
        ],
        is_shown=is_shown,
    )


def _illustration(number: int, one: Illustration) -> Table:
    is_papers = one.sentence == paper.ILLUSTRATION
    theirs = paper.ILLUSTRATION_PROBABILITIES if is_papers else (None,) * len(one.tokens)
    columns = (
        Column("x"),
        Column("p", "number"),
        Column("m", "yes"),
        Column("p in appendix B", "number"),
    )
    rows: list[tuple[Value, ...]] = list(
        zip(one.tokens, one.probabilities, one.keep, theirs, strict=True)
    )
    kept = [token for token, is_kept in zip(one.tokens, one.keep, strict=True) if is_kept]
    caption = f"“{one.sentence}” by {one.label}: keywords “{' '.join(kept)}”"
    return Table(f"illustration-{number}", caption, columns, rows)
