"""`tersely complete`: keywords in, sentences out."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tersely.completion.completer import Completer
    from tersely.completion.suggestion import Suggestion
EXAMPLES = """\
examples:
  tersely complete "10 minutes late"
  tersely complete "10 minutes late" -n 5 --json
  tersely complete '"ice cream" friday?'   what is in quotes stays together
  tersely complete "10 min la" --prefix    the last word may be unfinished
  tersely complete "late minutes 10" --any-order
  tersely complete "10 minutes late" --with sorry --without train
  tersely complete "10 minutes late" --context "I am sorry, but"
  tersely complete < keywords.txt > suggestions.jsonl
  tersely complete                      suggests as you type; Enter or Alt+number copies
  tersely complete --memory phrases.db  the same; Ctrl-R switches remembering on
"""
MUST = "must appear, anywhere; repeatable"
MUST_NOT = "must not appear; repeatable"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    from tersely.cli.options import add_model_option

    parser.epilog = EXAMPLES
    add_model_option(parser)
    parser.add_argument("keywords", nargs="?", metavar="KEYWORDS", help="what to complete")
    parser.add_argument("-n", type=int, default=3, metavar="N", help="suggestions (3)")
    add = parser.add_argument
    add("--prefix", action="store_true", help="the last word may be unfinished")
    add("--any-order", action="store_true", help="the keywords may appear in any order")
    add("--with", dest="including", action="append", default=[], metavar="WORD", help=MUST)
    add("--without", action="append", default=[], metavar="WORD", help=MUST_NOT)
    add("--context", default="", metavar="TEXT", help="the text before, to go on from")
    add("--deadline", type=float, metavar="S", help="seconds to take at most")
    add("--memory", type=Path, metavar="FILE", help="sentences to suggest, too")
    add("--json", action="store_true", help="print JSON")


def run(given: argparse.Namespace) -> None:
    """Complete the argument, each line of piped input, or what is typed at a prompt."""
    from tersely.cli.lines import arriving
    from tersely.cli.options import check_text, load_completer
    from tersely.cli.prompt import open_prompt

    check_text(given.keywords or "", "The keywords")
    for option, texts in (
        ("--with", given.including),
        ("--without", given.without),
        ("--context", [given.context]),
    ):
        check_text(" ".join(texts), option)
    is_prompt = given.keywords is None and sys.stdin.isatty()
    completer = load_completer(given.model, given.memory, may_make_memory=is_prompt)
    asked = {
        "prefix": given.prefix,
        "order": "free" if given.any_order else "typed",
        "including": given.including,
        "without": given.without,
        "context": given.context,
        "corrections": True,
        "deadline": given.deadline,
    }
    if given.keywords is not None:
        found = completer.complete(given.keywords, given.n, **asked)
        print(as_json(given.keywords, found) if given.json else as_list(found))
    elif is_prompt:
        open_prompt(completer, given.n, as_list, **asked)
    else:
        for line in complete_lines(completer, arriving(sys.stdin.buffer), given.n, **asked):
            print(line, flush=True)


def complete_lines(
    completer: "Completer", batches: Iterable[list[str]], n: int, **asked: Any
) -> Iterator[str]:
    """One JSON line for each line, in order."""
    for batch in batches:
        for keywords, found in zip(batch, completer.complete_batch(batch, n, **asked), strict=True):
            yield as_json(keywords, found)


def as_json(keywords: str, found: list["Suggestion"]) -> str:
    """The contract's JSON; what was read otherwise than typed stands apart."""
    answer: dict[str, Any] = {
        "keywords": keywords,
        "suggestions": [
            {"text": one.text, "score": one.score, "source": one.source}
            for one in found
            if not one.corrected
        ],
    }
    corrected = [
        {"text": one.text, "score": one.score, "read": dict(one.corrected)}
        for one in found
        if one.corrected
    ]
    return json.dumps(answer | ({"corrected": corrected} if corrected else {}), ensure_ascii=False)


def as_list(found: list["Suggestion"]) -> str:
    """For a person to read."""
    return "\n".join(f"{place}. {one.text}{_mark(one)}" for place, one in enumerate(found, 1))


def _mark(one: "Suggestion") -> str:
    """Tell what was read otherwise than typed."""
    read = ", ".join(f"{after} for {before}" for before, after in one.corrected)
    return f"   (with {read})" if read else ""
