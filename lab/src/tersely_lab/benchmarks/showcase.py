"""A showcase: what the model says to inputs of every kind people type, good and bad alike.

Each input comes with what must hold for its suggestions, whatever the model has learned.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tersely.completion.completer import Completer
from tersely.completion.suggestion import Suggestion

Rule = Callable[["Case", Sequence[Suggestion]], bool]


@dataclass(frozen=True, slots=True)
class Case:
    """An input, how it is asked for, and what must hold."""

    kind: str
    typed: str
    wishes: Mapping[str, Any] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()


def contains_all(case: Case, found: Sequence[Suggestion]) -> bool:
    """Every keyword is in every suggestion, in order, case aside."""
    return all(_in_order(case.typed.replace('"', "").split(), one.text) for one in found)


def contains_any_order(case: Case, found: Sequence[Suggestion]) -> bool:
    """Every keyword is in every suggestion, somewhere."""
    words = [word.strip("?!.").lower() for word in case.typed.split()]
    return all(word in one.text.lower() for word in words for one in found)


def ends_as_typed(case: Case, found: Sequence[Suggestion]) -> bool:
    """The final mark is the one typed."""
    return all(one.text.endswith(case.typed[-1]) for one in found)


def as_written(*words: str) -> Rule:
    """These come back letter for letter, in every suggestion."""
    return lambda _, found: all(word in one.text for word in words for one in found)


def lacks(*words: str) -> Rule:
    """None of these appears."""
    return lambda _, found: not any(word in one.text.lower() for word in words for one in found)


def begins_low(_: Case, found: Sequence[Suggestion]) -> bool:
    """The rest of a sentence begins without a capital, unless it is "I"."""
    return all(one.text[:1].islower() or one.text.split("'")[0].split()[0] == "I" for one in found)


def offers_correction(read: str) -> Rule:
    """Exactly one suggestion is marked, and reads the slip as this word."""

    def rule(_: Case, found: Sequence[Suggestion]) -> bool:
        marked = [one for one in found if one.corrected]
        return len(marked) == 1 and read in marked[0].text.lower()

    return rule


def differ_in_words(_: Case, found: Sequence[Suggestion]) -> bool:
    """No two say the same but for capitals and punctuation."""
    heard = ["".join(c for c in one.text.lower() if c.isalnum()) for one in found]
    return len(set(heard)) == len(heard)


def has_three(_: Case, found: Sequence[Suggestion]) -> bool:
    """Three suggestions, and one more where a slip was corrected."""
    return len([one for one in found if not one.corrected]) == 3


def measure(completer: Completer, cases: Sequence[Case]) -> list[dict[str, Any]]:
    """Complete every input, and check what must hold for it."""
    rows = []
    for case in cases:
        found = completer.complete(case.typed, 3, **case.wishes)
        broken = [
            getattr(rule, "__qualname__", "rule").split(".")[0]
            for rule in (has_three, differ_in_words, *case.rules)
            if not rule(case, found)
        ]
        rows.append(
            {
                "kind": case.kind,
                "typed": case.typed,
                "wishes": dict(case.wishes),
                "suggestions": [
                    {"text": one.text, "score": one.score, "corrected": dict(one.corrected)}
                    for one in found
                ],
                "broken": broken,
            }
        )
    return rows


def render(rows: Sequence[Mapping[str, Any]]) -> str:
    """As a table in Markdown, one section a kind."""
    lines: list[str] = []
    kind = None
    for row in rows:
        if row["kind"] != kind:
            kind = row["kind"]
            lines += ["", f"### {kind}", "", "| typed | suggestions |", "|---|---|"]
        wished = ", ".join(f"{name}={value!r}" for name, value in row["wishes"].items())
        asked = f"`{row['typed']}`" + (f"<br>{wished}" if wished else "")
        said = "<br>".join(_shown(one) for one in row["suggestions"])
        lines.append(f"| {asked} | {said} |".replace("\n", " "))
    broken = [row["typed"] for row in rows if row["broken"]]
    verdict = f"What must hold does not for: {', '.join(broken)}." if broken else ALL_HOLD
    return "\n".join([*lines[1:], "", f"{len(rows)} inputs. {verdict}"])


ALL_HOLD = "What must hold for each does."


def _shown(one: Mapping[str, Any]) -> str:
    read = ", ".join(f"{after} for {before}" for before, after in one["corrected"].items())
    note = f" (with {read})" if read else ""
    return f"{one['text']} <sub>{one['score']:.2f}</sub>{note}"


def _in_order(words: Sequence[str], text: str) -> bool:
    start, low = 0, text.lower()
    for word in words:
        place = low.find(word.lower().rstrip("?!."), start)
        if place < 0:
            return False
        start = place + 1
    return True
