"""Examples: table 1's keywords and appendix B's illustration, by models of the sweep.

The only sentences shown are the paper's own and those that were asked for.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tersely.completion.completer import Completer
from tersely.errors import TerselyError
from tersely_lab.reproduction import paper
from tersely_lab.reproduction.runs import Run

FILE = "examples.json"


@dataclass(frozen=True, slots=True)
class Completed:
    """One column of table 1, as a model of ours completes it."""

    run: str
    label: str
    sentence: str
    specified: str
    keywords: str
    suggestions: tuple[str, ...]

    @property
    def place(self) -> int | None:
        """At which place the sentence stands, from 1; capitals and its end mark aside."""
        wanted = plain(self.sentence)
        places = [place for place, text in enumerate(self.suggestions, 1) if plain(text) == wanted]
        return places[0] if places else None


@dataclass(frozen=True, slots=True)
class Illustration:
    """Appendix B: a sentence's tokens, how likely each is kept, and which are."""

    run: str
    label: str
    sentence: str
    tokens: tuple[str, ...]
    probabilities: tuple[float, ...]
    keep: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Examples:
    """What models made of the examples."""

    completed: tuple[Completed, ...]
    illustrations: tuple[Illustration, ...]


def plain(text: str) -> str:
    """Without capitals and end marks: table 1 marks "… dining." as right for "… dining!"."""
    return re.sub(r"[\s.!?…]+$", "", text).lower()


def make_examples(runs: Sequence[Run], sentences: Sequence[str]) -> Examples:
    """Let models complete table 1's keywords, and choose keywords for sentences."""
    completed: list[Completed] = []
    illustrations: list[Illustration] = []
    for run in runs:
        try:
            completer = Completer.load(run.folder)
        except TerselyError:
            continue  # kept without weights
        for one in paper.EXAMPLES:
            found = completer.complete(one.keywords, 3)
            texts = tuple(suggestion.text for suggestion in found)
            completed.append(
                Completed(run.name, run.label, one.sentence, one.specified, one.keywords, texts)
            )
        for sentence in (paper.ILLUSTRATION, *sentences):
            own = completer.keywords(sentence)
            illustrations.append(
                Illustration(
                    run.name,
                    run.label,
                    sentence,
                    tuple(own.tokens),
                    tuple(own.probabilities),
                    tuple(own.keep),
                )
            )
    return Examples(tuple(completed), tuple(illustrations))


def as_json(examples: Examples) -> dict[str, Any]:
    """As examples.json holds it."""
    return asdict(examples)


def read_examples(path: Path) -> Examples | None:
    """Read what was kept; None where there is nothing that can be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return Examples(
            tuple(
                Completed(**{**row, "suggestions": tuple(row["suggestions"])})
                for row in found["completed"]
            ),
            tuple(
                Illustration(
                    **{
                        **row,
                        **{key: tuple(row[key]) for key in ("tokens", "probabilities", "keep")},
                    }
                )
                for row in found["illustrations"]
            ),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
