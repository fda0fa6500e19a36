"""`tersely bench showcase`: suggestions for sixty inputs of every kind, good and bad alike.

Each input comes with rules that its suggestions must satisfy, whatever the model has learned.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tersely.completion.completer import Completer
from tersely.completion.suggestion import Suggestion
from tersely_lab.benchmarks.command import print_results

Rule = Callable[["Case", Sequence[Suggestion]], bool]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--model", metavar="MODEL", help="a model folder or a run (ours)")


def run(args: argparse.Namespace) -> None:
    """Measure and print."""
    print_results(measure(Completer.load(args.model), cases()), render, as_json=args.json)


@dataclass(frozen=True, slots=True)
class Case:
    """An input, the options of its completion, and its rules."""

    kind: str
    typed: str
    options: Mapping[str, Any] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()


def contains_all(case: Case, suggestions: Sequence[Suggestion]) -> bool:
    """Check that every suggestion contains every keyword, in order, ignoring case."""
    keywords = case.typed.replace('"', "").split()
    return all(_in_order(keywords, suggestion.text) for suggestion in suggestions)


def contains_any_order(case: Case, suggestions: Sequence[Suggestion]) -> bool:
    """Check that every suggestion contains every keyword, in any order."""
    words = [word.strip("?!.").lower() for word in case.typed.split()]
    return all(word in suggestion.text.lower() for word in words for suggestion in suggestions)


def ends_as_typed(case: Case, suggestions: Sequence[Suggestion]) -> bool:
    """Check that the final mark is the one typed."""
    return all(suggestion.text.endswith(case.typed[-1]) for suggestion in suggestions)


def contains_verbatim(*words: str) -> Rule:
    """Require these words letter for letter in every suggestion."""
    return lambda _, suggestions: all(
        word in suggestion.text for word in words for suggestion in suggestions
    )


def lacks(*words: str) -> Rule:
    """Forbid these words."""
    return lambda _, suggestions: (
        not any(word in suggestion.text.lower() for word in words for suggestion in suggestions)
    )


def starts_lower_case(_: Case, suggestions: Sequence[Suggestion]) -> bool:
    """Check that the rest of a sentence starts without a capital, except for "I"."""
    texts = [suggestion.text for suggestion in suggestions]
    return all(text[:1].islower() or text.split("'")[0].split()[0] == "I" for text in texts)


def offers_correction(correction: str) -> Rule:
    """Require exactly one suggestion that is marked as corrected, with this word."""

    def rule(_: Case, suggestions: Sequence[Suggestion]) -> bool:
        corrected = [suggestion for suggestion in suggestions if suggestion.corrected]
        return len(corrected) == 1 and correction in corrected[0].text.lower()

    return rule


def differ_in_words(_: Case, suggestions: Sequence[Suggestion]) -> bool:
    """Check that no two suggestions differ only in capitals and punctuation."""
    words = ["".join(c for c in item.text.lower() if c.isalnum()) for item in suggestions]
    return len(set(words)) == len(words)


def has_three(_: Case, suggestions: Sequence[Suggestion]) -> bool:
    """Check that there are three suggestions besides a corrected one."""
    return len([suggestion for suggestion in suggestions if not suggestion.corrected]) == 3


def _in_order(words: Sequence[str], text: str) -> bool:
    start, lower_case = 0, text.lower()
    for word in words:
        position = lower_case.find(word.lower().rstrip("?!."), start)
        if position < 0:
            return False
        start = position + 1
    return True


def measure(completer: Completer, cases: Sequence[Case]) -> list[dict[str, Any]]:
    """Complete every input, and check its rules."""
    rows = []
    for case in cases:
        suggestions = completer.complete(case.typed, 3, **case.options)
        broken = [
            getattr(rule, "__qualname__", "rule").split(".")[0]
            for rule in (has_three, differ_in_words, *case.rules)
            if not rule(case, suggestions)
        ]
        rows.append(
            {
                "kind": case.kind,
                "typed": case.typed,
                "wishes": dict(case.options),
                "suggestions": [
                    {"text": item.text, "score": item.score, "corrected": dict(item.corrected)}
                    for item in suggestions
                ],
                "broken": broken,
            }
        )
    return rows


def render(rows: Sequence[Mapping[str, Any]]) -> str:
    """Lay out a Markdown table for each kind of input."""
    lines: list[str] = []
    kind = None
    for row in rows:
        if row["kind"] != kind:
            kind = row["kind"]
            lines += ["", f"### {kind}", "", "| typed | suggestions |", "|---|---|"]
        options = ", ".join(f"{name}={value!r}" for name, value in row["wishes"].items())
        typed = f"`{row['typed']}`" + (f"<br>{options}" if options else "")
        suggestions = "<br>".join(_format(suggestion) for suggestion in row["suggestions"])
        lines.append(f"| {typed} | {suggestions} |".replace("\n", " "))
    broken = [row["typed"] for row in rows if row["broken"]]
    verdict = f"Rules are broken for: {', '.join(broken)}." if broken else "All rules hold."
    return "\n".join([*lines[1:], "", f"{len(rows)} inputs. {verdict}"])


def _format(suggestion: Mapping[str, Any]) -> str:
    corrected = suggestion["corrected"].items()
    corrections = ", ".join(f"{after} for {before}" for before, after in corrected)
    note = f" (with {corrections})" if corrections else ""
    return f"{suggestion['text']} <sub>{suggestion['score']:.2f}</sub>{note}"


def _plain(kind: str, *inputs: str) -> list[Case]:
    return [Case(kind, typed, rules=(contains_all,)) for typed in inputs]


def cases() -> list[Case]:
    """Return the sixty inputs, by kind."""
    return [*_keywords(), *_verbatim(), *_expanded(), *_with_options()]


def _keywords() -> list[Case]:
    """Keywords alone, and keywords with a final mark."""
    return [
        *_plain(
            "Keywords, lower case, no punctuation",
            *("10 minutes late", "thank help yesterday", "see tomorrow morning"),
            *("call tonight", "meeting cancelled", "happy birthday", "need help homework"),
            *("dinner tonight", "left keys home", "train delayed snow", "sorry forgot"),
            *("love place", "weather nice today", "bought new car", "coffee milk sugar"),
            *("never been france", "send report friday", "speak english well"),
            "city cold lonely without",
        ),
        *_plain("One word", "late", "thanks", "hungry", "tomorrow", "why"),
        *(
            Case("How it is to end", typed, rules=(contains_all, ends_as_typed))
            for typed in (
                *("where station?", "what time train?", "help!", "you coming party?"),
                *("how old?", "watch out!", "like coffee?"),
            )
        ),
    ]


def _verbatim() -> list[Case]:
    """Words that suggestions must contain letter for letter."""
    return [
        *(
            Case(
                "Names, numbers, unknown words",
                typed,
                rules=(contains_all, contains_verbatim(*words)),
            )
            for typed, words in (
                ("Zanzibar ticket", ("Zanzibar",)),
                ("meet Priya 7:30", ("Priya", "7:30")),
                ("born 1987 Lisbon", ("1987", "Lisbon")),
                ("install numpy", ("numpy",)),
                ("zyxomma photo", ("zyxomma",)),
                ("NASA launch", ("NASA",)),
                ("café Zoë", ("afé", "Zoë")),
                ("$20 ticket", ("$20",)),
            )
        ),
        *(
            Case("Phrases in quotes", typed, rules=(contains_all, contains_verbatim(phrase)))
            for typed, phrase in (
                ('"ice cream" friday', "ice cream"),
                ('bought "a few" books', "a few"),
                ('"living room" cold', "living room"),
            )
        ),
    ]


def _expanded() -> list[Case]:
    """Unfinished, misspelt and unordered words."""
    return [
        *(
            Case("An unfinished last word", typed, {"prefix": True}, (contains_all,))
            for typed in ("10 minutes la", "see you tomo", "where sta", "thank you for yo", "i wan")
        ),
        *(
            Case("Misspelt", typed, {"corrections": True}, (offers_correction(correction),))
            for typed, correction in (
                ("10 minuts late", "minutes"),
                ("tomorow morning", "tomorrow"),
                ("resturant expensive", "restaurant"),
                ("becuase tired", "because"),
            )
        ),
        *(
            Case("In any order", typed, {"order": "free"}, (contains_any_order,))
            for typed in ("late minutes 10", "station where?", "dog walk morning every")
        ),
    ]


def _with_options() -> list[Case]:
    """Required and excluded words, and text before the sentence."""
    return [
        Case(
            "Words that must and must not appear",
            "meeting late",
            {"including": ["sorry"]},
            (contains_all, contains_verbatim("orry")),
        ),
        Case(
            "Words that must and must not appear",
            "train late",
            {"without": ["was", "is"]},
            (contains_all, lacks(" was ", " is ")),
        ),
        *(
            Case("After other text", typed, {"context": context}, rules)
            for typed, context, rules in (
                ("10 minutes late", "I am sorry, but", (contains_all, starts_lower_case)),
                ("late", "I will be", (contains_all, starts_lower_case)),
                ("10 minutes late", "I am sorry.", (contains_all,)),
                ("rain", "We stayed at home because", (contains_all, starts_lower_case)),
            )
        ),
    ]
