"""Figure 4 and table 3: which words are kept."""

from collections.abc import Sequence
from itertools import product

from tersely_lab.reproduction import paper
from tersely_lab.reproduction.analysis import Analysis
from tersely_lab.reproduction.frequency import SEEN_AT_LEAST, Frequency
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
from tersely_lab.reproduction.runs import Run
from tersely_lab.reproduction.verdicts import percent

TITLE = "Which words are kept (figure 4, table 3)"
EXAMPLES = {
    "determiner": "the, a, this",
    "conjunction": "and, but",
    "pronoun": "it, you, we",
    "interjection": "oh, wow",
    "verb": "love, recommend",
    "preposition": "by, with",
    "adverb": "very, pretty",
    "adjective": "delicious",
    "noun": "service, food",
}


def section(analysis: Analysis) -> Section:
    """Lay it out."""
    run = analysis.studied
    if run is None:
        return Section(TITLE, (Text("No Constr run is finished."),))
    blocks: list[Block] = [
        Text(
            f"Of {run.name}: the paper does not say which model this is about; this is the Constr "
            f"run whose kept_with_eos ({percent(float(run.figures['kept_with_eos']))}) is nearest "
            "to that of Constr(0.6) in table 2 (34.04 %), the model of its user study. The tables "
            "of all Constr runs are in the CSV files."
        ),
        Figure(
            "figure-4",
            f"Kept share of each word type over its occurrences in the test set, for types seen at "
            f"least {SEEN_AT_LEAST} times",
            plots.frequencies(run),
            (8.0, 4.5),
        ),
        _correlations(analysis),
        _bins(analysis, run),
        _most_frequent(analysis.frequencies["all"][run.name]),
        *_parts(analysis, run),
    ]
    return Section(TITLE, tuple(blocks))


def _correlations(analysis: Analysis) -> Table:
    columns = (
        Column("subset"),
        Column("run"),
        Column("types", "count"),
        Column("rank correlation", "number"),
        Column("95 % (× 100)", "interval"),
        Column("variance explained by frequency", "share"),
        Column("by part of speech", "share"),
        Column("rank correlation with table 3", "number"),
    )
    rows: list[tuple[Value, ...]] = []
    for subset, runs in analysis.frequencies.items():
        for name, one in runs.items():
            parts = analysis.parts[subset].get(name)
            rows.append(
                (
                    subset,
                    name,
                    one.types,
                    one.rank_correlation,
                    one.correlation_interval,
                    one.explained,
                    parts.explained if parts else None,
                    parts.order_agreement if parts else None,
                )
            )
    caption = "Frequency, part of speech and retention, every Constr run (Spearman's ρ, η²)"
    return Table("correlations", caption, columns, rows)


def _bins(analysis: Analysis, run: Run) -> Table:
    columns = (
        Column("subset"),
        Column("seen from", "count"),
        Column("to", "count"),
        Column("types", "count"),
        Column("tokens", "count"),
        Column("kept", "share"),
        Column("middle 80 % of types", "interval"),
    )
    rows = [
        (subset, one.seen_from, one.seen_to, one.types, one.tokens, one.kept, (one.low, one.high))
        for subset, runs in analysis.frequencies.items()
        for one in runs[run.name].bins
    ]
    return Table("frequency", "Kept by frequency in the test set, words only", columns, rows)


def _most_frequent(own: Frequency) -> Table:
    columns = (Column("word"), Column("seen", "count"), Column("kept", "share"))
    return Table("most-frequent", "The most frequent words", columns, list(own.most_frequent))


def _parts(analysis: Analysis, run: Run) -> list[Block]:
    if run.name not in analysis.parts["all"] or analysis.tagger is None:
        return [
            Text(
                "Parts of speech were not counted: the tagger was not installed "
                '(pip install "tersely[report]").'
            )
        ]
    tagger = analysis.tagger
    low, high = tagger.interval
    return [
        Text(
            f"Parts of speech are those of TextBlob's pattern tagger, offline. It is right on "
            f"{100 * tagger.share:.1f} % (95 %: {100 * low:.1f} to {100 * high:.1f}) of "
            f"{tagger.words} words of sentences in the manner of reviews that were written and "
            "tagged by hand for this purpose; measured when this page was made."
        ),
        Figure(
            "table-3",
            f"Kept by part of speech, {run.label} and the paper's table 3",
            plots.parts_of_speech(analysis, run),
            (7.0, 4.5),
        ),
        _tags(analysis, [run], "parts-of-speech", is_shown=True),
        _tags(analysis, analysis.results.runs, "parts-of-speech-all", is_shown=False),
    ]


def _tags(analysis: Analysis, runs: Sequence[Run], name: str, *, is_shown: bool) -> Table:
    columns = (
        Column("subset"),
        Column("run"),
        Column("part of speech"),
        Column("the paper's examples"),
        Column("tokens", "count"),
        Column("kept", "share"),
        Column("95 %", "interval"),
        Column("paper", "share"),
    )
    rows: list[tuple[Value, ...]] = []
    for subset, run in product(analysis.parts, runs):
        if run.name in analysis.parts[subset]:
            tags = analysis.parts[subset][run.name].tags
            order = [*(tag for tag in paper.PARTS_OF_SPEECH if tag in tags)]
            order += [tag for tag in tags if tag not in paper.PARTS_OF_SPEECH]
            rows += [
                (
                    subset,
                    run.name,
                    tag,
                    EXAMPLES.get(tag),
                    tags[tag].count,
                    tags[tag].share,
                    tags[tag].interval,
                    paper.PARTS_OF_SPEECH.get(tag),
                )
                for tag in order
            ]
    caption = "Kept by part of speech" if is_shown else "Kept by part of speech, every Constr run"
    return Table(name, caption, columns, rows, is_shown=is_shown)
