"""Table 1 and appendix B: the paper's keywords completed, and keywords chosen for a sentence.

The only sentences shown are the paper's own and those given with --sentence.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tersely.completion.completer import Completer
from tersely.errors import TerselyError
from tersely_lab.reproduction import paper
from tersely_lab.reproduction.document import Block, Column, Row, Section, Table, Text
from tersely_lab.reproduction.runs import Run
from tersely_lab.reproduction.sweep import Sweep
from tersely_lab.reproduction.verdicts import Reproduction, Verdict, ruling

EXAMPLES_FILE = "examples.json"
TITLE = "Examples (table 1, appendix B)"
CLAIMS = {
    "under": ("generic sentences for under-specified keywords", "not among the top three"),
    "properly": ("the sentence for properly specified keywords", "in the first place"),
    "over": ("almost the same sentences for over-specified keywords", "in the first place"),
}


@dataclass(frozen=True, slots=True)
class Completion:
    """A column of table 1, completed by one of our models."""

    run: str
    label: str
    sentence: str
    specified: str
    keywords: str
    suggestions: tuple[str, ...]

    @property
    def rank(self) -> int | None:
        """Rank of the sentence among the suggestions, from 1; case and end mark are ignored."""
        target = normalise(self.sentence)
        ranks = [rank for rank, text in enumerate(self.suggestions, 1) if normalise(text) == target]
        return ranks[0] if ranks else None

    @property
    def is_as_claimed(self) -> bool:
        """Whether the sentence is missing if under-specified, and else comes first."""
        return self.rank is None if self.specified == "under" else self.rank == 1


@dataclass(frozen=True, slots=True)
class Illustration:
    """Appendix B: a sentence's tokens, their keep probabilities, and which are kept."""

    run: str
    label: str
    sentence: str
    tokens: tuple[str, ...]
    probabilities: tuple[float, ...]
    keep: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Examples:
    """Completions and illustrations of all models."""

    completed: tuple[Completion, ...] = ()
    illustrations: tuple[Illustration, ...] = ()


def reproduce(sweep: Sweep, examples: Examples | None) -> Reproduction:
    """Judge and show the examples of the studied run."""
    examples, run = examples or Examples(), sweep.studied_run()
    name = run.name if run else ""
    completions = [completion for completion in examples.completed if completion.run == name]
    illustrations = [
        illustration for illustration in examples.illustrations if illustration.run == name
    ]
    blocks: tuple[Block, ...] = (Text("No model was available to complete the examples."),)
    if run is not None and examples.completed:
        caption = f"Table 1's keywords, completed by {run.label}"
        blocks = (
            _completion_table("examples", caption, completions),
            _completion_table(
                "examples-all", "The same by every model", examples.completed, is_shown=False
            ),
            *(
                _illustration_table(index, illustration)
                for index, illustration in enumerate(illustrations, 1)
            ),
        )
    return Reproduction(tuple(judge(completions)), (Section(TITLE, blocks),))


def normalise(text: str) -> str:
    """Remove case and end marks: table 1 counts "… dining." as right for "… dining!"."""
    return re.sub(r"[\s.!?…]+$", "", text).lower()


def make_examples(runs: Sequence[Run], sentences: Sequence[str]) -> Examples:
    """Complete table 1's keywords and choose keywords for sentences, with each run's model."""
    completed: list[Completion] = []
    illustrations: list[Illustration] = []
    for run in runs:
        try:
            completer = Completer.load(run.folder)
        except TerselyError:
            continue  # small results have no weights
        for example in paper.EXAMPLES:
            suggestions = completer.complete(example.keywords, 3)
            completed.append(
                Completion(
                    run.name,
                    run.label,
                    example.sentence,
                    example.specified,
                    example.keywords,
                    tuple(suggestion.text for suggestion in suggestions),
                )
            )
        for sentence in (paper.ILLUSTRATION, *sentences):
            selection = completer.keywords(sentence)
            illustrations.append(
                Illustration(
                    run.name,
                    run.label,
                    sentence,
                    tuple(selection.tokens),
                    tuple(selection.probabilities),
                    tuple(selection.keep),
                )
            )
    return Examples(tuple(completed), tuple(illustrations))


def write_examples(examples: Examples, path: Path) -> None:
    """Write examples as JSON."""
    text = json.dumps(asdict(examples), indent=2, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def read_examples(path: Path) -> Examples | None:
    """Read written examples; None if they are missing or malformed."""
    try:
        contents = json.loads(path.read_text(encoding="utf-8"))
        return Examples(
            tuple(Completion(**_with_tuples(row)) for row in contents["completed"]),
            tuple(Illustration(**_with_tuples(row)) for row in contents["illustrations"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _with_tuples(row: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}


def judge(completions: Sequence[Completion]) -> Iterator[Verdict]:
    """Judge whether sentences come back as in table 1."""
    for specified, (claim, expected) in CLAIMS.items():
        rows = [completion for completion in completions if completion.specified == specified]
        yield Verdict(
            "Table 1",
            f"The system proposes {claim}",
            "in both examples",
            f"the sentence is {expected}, its capitals and end mark aside; the studied run",
            "; ".join(f"“{completion.keywords}”: {_rank_text(completion)}" for completion in rows)
            or "no model at hand",
            ruling(all(completion.is_as_claimed for completion in rows) if rows else None),
        )


def _rank_text(completion: Completion) -> str:
    return "not among the top three" if completion.rank is None else f"place {completion.rank}"


def _completion_table(
    name: str, caption: str, completions: Sequence[Completion], *, is_shown: bool = True
) -> Table:
    titles = ("scheme", "sentence", "specified", "keywords", "place", "ours", "the paper's")
    in_paper = {example.keywords: example.suggestions for example in paper.EXAMPLES}
    rows: list[Row] = [
        (
            completion.label,
            completion.sentence,
            completion.specified,
            completion.keywords,
            "–" if completion.rank is None else str(completion.rank),
            " / ".join(completion.suggestions),
            " / ".join(in_paper.get(completion.keywords, ())),
        )
        for completion in completions
    ]
    return Table(name, caption, tuple(map(Column, titles)), rows, is_shown=is_shown)


def _illustration_table(index: int, illustration: Illustration) -> Table:
    is_papers = illustration.sentence == paper.ILLUSTRATION
    in_paper = paper.ILLUSTRATION_PROBABILITIES if is_papers else (None,) * len(illustration.tokens)
    columns = (
        Column("x"),
        Column("p", "number"),
        Column("m", "yes"),
        Column("p in appendix B", "number"),
    )
    rows: list[Row] = list(
        zip(
            illustration.tokens,
            illustration.probabilities,
            illustration.keep,
            in_paper,
            strict=True,
        )
    )
    kept = [
        token
        for token, is_kept in zip(illustration.tokens, illustration.keep, strict=True)
        if is_kept
    ]
    caption = f"“{illustration.sentence}” by {illustration.label}: keywords “{' '.join(kept)}”"
    return Table(f"illustration-{index}", caption, columns, rows)
