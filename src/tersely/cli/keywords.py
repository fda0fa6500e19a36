"""`tersely keywords`: which words of a sentence would have been enough."""

import argparse
import json
from typing import TYPE_CHECKING

from tersely.errors import UsageError

if TYPE_CHECKING:
    from tersely.model.suggestion import Keywords

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
    print(_as_json(chosen) if given.json else _as_bars(chosen))


def _as_json(chosen: "Keywords") -> str:
    tokens = [
        {"token": token, "keep": probability}
        for token, probability in zip(chosen.tokens, chosen.probabilities, strict=True)
    ]
    return json.dumps({"keywords": chosen.keywords, "tokens": tokens}, ensure_ascii=False)


def _as_bars(chosen: "Keywords") -> str:
    width = max(map(len, chosen.tokens))
    rows = [
        f"{token:<{width}}  {probability:>4.0%}  {'█' * round(20 * probability):<20}"
        f"{'  typed' if kept else ''}".rstrip()
        for token, probability, kept in zip(
            chosen.tokens, chosen.probabilities, chosen.keep, strict=True
        )
    ]
    typed = sum(chosen.keep)
    share = f"{typed} of {len(chosen.tokens)} tokens typed"
    return "\n".join([*rows, "", " ".join(chosen.keywords) or "(nothing)", share])
