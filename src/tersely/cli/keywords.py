"""`tersely keywords`: which words of a sentence would have been enough."""

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tersely.errors import UsageError

if TYPE_CHECKING:
    from tersely.completion.suggestion import Keywords
EXAMPLES = """\
examples:
  tersely keywords "I will be 10 minutes late."
  tersely keywords "I will be 10 minutes late." --budget 0.3 --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    from tersely.cli.options import add_model_option

    parser.epilog = EXAMPLES
    add_model_option(parser)
    parser.add_argument("sentence", metavar="SENTENCE", help="what someone wants to say")
    parser.add_argument("--budget", type=float, metavar="F", help="mean share of tokens to type")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(given: argparse.Namespace) -> None:
    """Choose keywords and print them."""
    from tersely.cli.options import check_text, load_completer

    check_text(given.sentence, "The sentence")
    if not given.sentence.strip():
        raise UsageError("The sentence is empty.")
    chosen = load_completer(given.model).keywords(given.sentence, given.budget)
    characters = typed_characters(chosen.keywords), len(given.sentence.strip())
    print((_as_json if given.json else _as_bars)(chosen, *characters))


def typed_characters(keywords: Sequence[str]) -> int:
    """The keys it takes to type keywords, blanks included; a capital takes one."""
    from tersely.text.tokens import detokenise

    return len(detokenise(keywords))


def _as_json(chosen: "Keywords", typed: int, whole: int) -> str:
    tokens = [
        {"token": token, "keep": probability}
        for token, probability in zip(chosen.tokens, chosen.probabilities, strict=True)
    ]
    answer = {
        "keywords": chosen.keywords,
        "tokens": tokens,
        "typed_characters": typed,
        "sentence_characters": whole,
    }
    return json.dumps(answer, ensure_ascii=False)


def _as_bars(chosen: "Keywords", typed: int, whole: int) -> str:
    width = max(map(len, chosen.tokens))
    rows = [
        f"{token:<{width}}  {probability:>4.0%}  {'█' * round(20 * probability):<20}"
        f"{'  typed' if kept else ''}".rstrip()
        for token, probability, kept in zip(
            chosen.tokens, chosen.probabilities, chosen.keep, strict=True
        )
    ]
    tokens = f"{sum(chosen.keep)} of {len(chosen.tokens)} tokens typed"
    characters = f"{typed} of {whole} characters typed, {1 - typed / whole:.0%} saved"
    keywords = " ".join(chosen.keywords) or "(nothing)"
    return "\n".join([*rows, "", keywords, tokens, characters])
