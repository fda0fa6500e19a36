"""Table 3: retention by part of speech.

kept_words.py makes the page's section of this table and figure 4.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from matplotlib.figure import Figure as Canvas

from tersely.evaluation.outcomes import TagCount
from tersely.evaluation.tagging import NOT_WORDS, accuracy, gold_lines
from tersely_lab.reproduction import paper
from tersely_lab.reproduction.correlation import rank_correlation, variance_explained
from tersely_lab.reproduction.document import Block, Column, Draw, Figure, Row, Table, Text
from tersely_lab.reproduction.runs import OBJECTIVES, Run
from tersely_lab.reproduction.verdicts import Verdict, number, percent, ruling

ITEM = "Table 3"
CONTENT_CLASSES = ("noun", "adjective", "adverb", "verb")
FUNCTION_CLASSES = ("determiner", "conjunction", "pronoun")
MIN_AGREEMENT = 0.7  # beyond chance for nine ranks (two-sided 5 %)
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


@dataclass(frozen=True, slots=True)
class PartsOfSpeech:
    """Retention by part of speech."""

    tags: Mapping[str, TagCount]
    order_agreement: float | None  # rank correlation with the paper's table
    min_content: float | None  # kept share of the content class kept least
    max_function: float | None  # kept share of the function class kept most
    explained: float | None  # η² of the classes for "kept", over word tokens


PartsByRun = Mapping[str, Mapping[str, PartsOfSpeech]]  # subset → run; only tagged runs


def compute(tags: Mapping[str, TagCount]) -> PartsOfSpeech:
    """Compare a run's counts with the paper's table."""
    shared = [name for name in paper.PARTS_OF_SPEECH if name in tags]
    content = [tags[name].share for name in CONTENT_CLASSES if name in tags]
    function = [tags[name].share for name in FUNCTION_CLASSES if name in tags]
    return PartsOfSpeech(
        tags=tags,
        order_agreement=rank_correlation(
            [paper.PARTS_OF_SPEECH[name] for name in shared], [tags[name].share for name in shared]
        ),
        min_content=min(content) if len(content) == len(CONTENT_CLASSES) else None,
        max_function=max(function) if len(function) == len(FUNCTION_CLASSES) else None,
        explained=variance_explained(
            [(tag.count, tag.kept) for name, tag in tags.items() if name not in NOT_WORDS]
        ),
    )


def judge(
    parts: PartsOfSpeech | None, explained_by_frequency: float | None, of_run: str
) -> Iterator[Verdict]:
    """Judge the claims about parts of speech; `of_run` names run and subset in the readings."""
    explained = parts.explained if parts else None
    yield Verdict(
        ITEM,
        "Part of speech correlates with retention more strongly than frequency",
        "no figure",
        f"share of the variance of “kept” over word tokens{of_run}: "
        "classes against frequency bands",
        f"part of speech {percent(explained)}, frequency {percent(explained_by_frequency)}",
        ruling(
            None
            if explained is None or explained_by_frequency is None
            else explained > explained_by_frequency
        ),
    )
    low, high = (parts.min_content, parts.max_function) if parts else (None, None)
    yield Verdict(
        ITEM,
        "Content words are kept more than determiners, conjunctions and pronouns",
        "verb 27.69 % is the least, pronoun 9.79 % the most",
        f"the content class kept least against the function class kept most{of_run}",
        f"{percent(low)} against {percent(high)}",
        ruling(None if low is None or high is None else low > high),
    )
    agreement = parts.order_agreement if parts else None
    yield Verdict(
        ITEM,
        "Parts of speech are kept in the paper's order",
        "determiner 3.96 % … noun 40.04 %",
        f"rank correlation with table 3{of_run}, at least {MIN_AGREEMENT}",
        number(agreement),
        ruling(None if agreement is None else agreement >= MIN_AGREEMENT),
    )


def blocks(parts: PartsByRun, run: Run, runs: Sequence[Run]) -> list[Block]:
    """Lay out plot and tables of one run, with a CSV of all runs."""
    if run.name not in parts["all"]:
        return [
            Text(
                "Parts of speech were not counted: the tagger was not installed "
                "(pip install textblob)."
            )
        ]
    tagger = accuracy(gold_lines())
    low, high = tagger.interval
    return [
        Text(
            "Parts of speech come from TextBlob's pattern tagger, which works offline. Its "
            f"accuracy is {100 * tagger.share:.1f} % (95 %: {100 * low:.1f} to {100 * high:.1f}) "
            f"on {tagger.words} words of review-like sentences that were written and tagged by "
            "hand for this purpose, measured when this page was made."
        ),
        Figure(
            "table-3",
            f"Kept by part of speech, {run.label} and the paper's table 3",
            plot(parts["all"][run.name], run),
            (7.0, 4.5),
        ),
        _tag_table("parts-of-speech", "Kept by part of speech", parts, [run]),
        _tag_table(
            "parts-of-speech-all",
            "Kept by part of speech, every Constr run",
            parts,
            runs,
            is_shown=False,
        ),
    ]


def plot(parts: PartsOfSpeech, run: Run) -> Draw:
    """Draw the kept share of each part of speech beside the paper's."""

    def draw(canvas: Canvas) -> None:
        names = [name for name in paper.PARTS_OF_SPEECH if name in parts.tags]
        axes = canvas.subplots()
        places = range(len(names))
        ours = [100 * parts.tags[name].share for name in names]
        theirs = [100 * paper.PARTS_OF_SPEECH[name] for name in names]
        color = OBJECTIVES[run.kind].color
        axes.barh([place + 0.2 for place in places], ours, 0.4, color=color, label=run.label)
        axes.barh([place - 0.2 for place in places], theirs, 0.4, color="#bbbbbb", label="paper")
        axes.set_yticks(list(places), names)
        axes.set_xlabel("kept (%)")
        axes.legend(frameon=False)

    return draw


def _tag_table(
    name: str, caption: str, parts: PartsByRun, runs: Sequence[Run], *, is_shown: bool = True
) -> Table:
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
    rows: list[Row] = []
    for subset, run in product(parts, runs):
        if run.name in parts[subset]:
            tags = parts[subset][run.name].tags
            order = [tag for tag in paper.PARTS_OF_SPEECH if tag in tags]
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
    return Table(name, caption, columns, rows, is_shown=is_shown)
