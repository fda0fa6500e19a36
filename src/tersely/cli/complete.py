"""`tersely complete`: keywords in, sentences out."""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from tersely.errors import UsageError

if TYPE_CHECKING:
    from tersely.completion.completer import Completer
    from tersely.completion.options import CompletionOptions
    from tersely.completion.suggestion import Suggestion

MAX_BATCH_LINES = 32
CHUNK_BYTES = 1 << 16
EXAMPLES = """\
examples:
  tersely complete "10 minutes late"
  tersely complete "10 minutes late" -n 5 --json
  tersely complete '"ice cream" friday?'   quoted words stay together
  tersely complete "10 min la" --prefix    the last word may be unfinished
  tersely complete "late minutes 10" --any-order
  tersely complete "10 minutes late" --with sorry --without train
  tersely complete "10 minutes late" --context "I am sorry, but"
  tersely complete < keywords.txt > suggestions.jsonl
  tersely complete                      suggests as you type; Enter or Alt+number copies
  tersely complete --memory phrases.db  the same; Ctrl-R turns the memory on
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    from tersely.cli.options import add_model_option

    parser.epilog = EXAMPLES
    add_model_option(parser)
    add = parser.add_argument
    add("keywords", nargs="?", metavar="KEYWORDS", help="the keywords to complete")
    add("-n", type=int, default=3, metavar="N", help="number of suggestions (default 3)")
    add("--prefix", action="store_true", help="the last word may be unfinished")
    add("--any-order", action="store_true", help="the keywords may appear in any order")
    add(
        "--with",
        dest="including",
        action="append",
        default=[],
        metavar="WORD",
        help="a word that must appear, anywhere; repeatable",
    )
    add(
        "--without",
        action="append",
        default=[],
        metavar="WORD",
        help="a word that must not appear; repeatable",
    )
    add("--context", default="", metavar="TEXT", help="the text before the keywords")
    add("--deadline", type=float, metavar="S", help="time limit in seconds")
    add("--memory", type=Path, metavar="FILE", help="also suggest the sentences of this memory")
    add("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> None:
    """Complete the argument, each line of standard input, or the text typed at a prompt."""
    from tersely.cli.prompt import open_prompt

    _check_texts(args)
    is_interactive = args.keywords is None and sys.stdin.isatty()
    options = _completion_options(args)
    completer = _load_completer(args, may_create_memory=is_interactive)
    if args.keywords is not None:
        [suggestions] = completer.complete_with_options([args.keywords], options)
        print(as_json(args.keywords, suggestions) if args.json else as_list(suggestions))
    elif is_interactive:
        open_prompt(completer, options, as_list)
    else:
        for batch in read_batches(sys.stdin.buffer):
            results = completer.complete_with_options(batch, options)
            for keywords, suggestions in zip(batch, results, strict=True):
                print(as_json(keywords, suggestions), flush=True)


def _check_texts(args: argparse.Namespace) -> None:
    from tersely.text.files import check_utf8

    check_utf8(args.keywords or "", "KEYWORDS")
    check_utf8(" ".join(args.including), "--with")
    check_utf8(" ".join(args.without), "--without")
    check_utf8(args.context, "--context")


def _completion_options(args: argparse.Namespace) -> "CompletionOptions":
    from tersely.completion.options import CompletionOptions

    return CompletionOptions(
        n=args.n,
        prefix=args.prefix,
        order="free" if args.any_order else "typed",
        including=args.including,
        without=args.without,
        context=args.context,
        corrections=True,
        deadline=args.deadline,
    )


def _load_completer(args: argparse.Namespace, *, may_create_memory: bool) -> "Completer":
    """Load the model and the memory; only the prompt creates a memory that does not exist."""
    from tersely.completion.completer import Completer

    if args.memory is None:
        return Completer.load(args.model)
    from tersely.completion.memory import Memory

    if not may_create_memory and not args.memory.is_file():
        raise UsageError(
            f"{args.memory}: no such file. Create a memory at the prompt: run "
            "`tersely complete --memory FILE` without keywords."
        )
    return Completer.load(args.model, Memory(args.memory))


def read_batches(stream: BinaryIO) -> Iterator[list[str]]:
    """Yield the lines that have arrived, in batches; block only when there are none.

    A program may write one line and wait for its result before it writes the next.
    """
    number, rest = 0, b""
    read = getattr(stream, "read1", stream.read)  # read1 returns without filling the chunk
    while chunk := read(CHUNK_BYTES):
        *lines, rest = (rest + chunk).split(b"\n")
        for start in range(0, len(lines), MAX_BATCH_LINES):
            batch = lines[start : start + MAX_BATCH_LINES]
            yield [_decode(line, number + index) for index, line in enumerate(batch, 1)]
            number += len(batch)
    if rest:
        yield [_decode(rest, number + 1)]


def _decode(line: bytes, number: int) -> str:
    try:
        return line.decode().removesuffix("\r")
    except UnicodeDecodeError as error:
        raise UsageError(f"Standard input, line {number}: not UTF-8 text.") from error


def as_json(keywords: str, suggestions: list["Suggestion"]) -> str:
    """Format suggestions as one line of JSON; those with corrected spelling are separate."""
    result: dict[str, Any] = {
        "keywords": keywords,
        "suggestions": [
            {"text": suggestion.text, "score": suggestion.score, "source": suggestion.source}
            for suggestion in suggestions
            if not suggestion.corrected
        ],
    }
    corrected = [
        {"text": suggestion.text, "score": suggestion.score, "read": dict(suggestion.corrected)}
        for suggestion in suggestions
        if suggestion.corrected
    ]
    if corrected:
        result["corrected"] = corrected
    return json.dumps(result, ensure_ascii=False)


def as_list(suggestions: list["Suggestion"]) -> str:
    """Format suggestions as a numbered list."""
    return "\n".join(
        f"{number}. {suggestion.text}{_correction_note(suggestion)}"
        for number, suggestion in enumerate(suggestions, 1)
    )


def _correction_note(suggestion: "Suggestion") -> str:
    corrections = ", ".join(
        f"{correction} for {typed}" for typed, correction in suggestion.corrected
    )
    return f"   (with {corrections})" if corrections else ""
