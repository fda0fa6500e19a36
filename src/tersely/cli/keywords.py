"""`tersely keywords`: which words of a sentence are enough."""

import argparse
import json
from typing import TYPE_CHECKING

from tersely.errors import UsageError

if TYPE_CHECKING:
    from tersely.completion.suggestion import Keywords

BAR_CHARACTERS = 20
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
    add = parser.add_argument
    add("sentence", metavar="SENTENCE", help="the sentence to choose keywords from")
    add("--budget", type=float, metavar="F", help="mean share of tokens to type")
    add("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> None:
    """Choose keywords and print them."""
    from tersely.completion.completer import Completer
    from tersely.text.files import check_utf8
    from tersely.text.tokens import detokenise

    check_utf8(args.sentence, "SENTENCE")
    sentence = args.sentence.strip()
    if not sentence:
        raise UsageError("SENTENCE is empty. Give a sentence to choose keywords from.")
    selected = Completer.load(args.model).keywords(args.sentence, args.budget)
    typed_characters = len(detokenise(selected.keywords))
    render = _as_json if args.json else _as_bars
    print(render(selected, typed_characters, len(sentence)))


def _as_json(selected: "Keywords", typed_characters: int, sentence_characters: int) -> str:
    tokens = [
        {"token": token, "keep": probability}
        for token, probability in zip(selected.tokens, selected.probabilities, strict=True)
    ]
    result = {
        "keywords": selected.keywords,
        "tokens": tokens,
        "typed_characters": typed_characters,
        "sentence_characters": sentence_characters,
    }
    return json.dumps(result, ensure_ascii=False)


def _as_bars(selected: "Keywords", typed_characters: int, sentence_characters: int) -> str:
    """Draw one bar per token, as long as the token is likely to be kept."""
    width = max(map(len, selected.tokens))
    rows = [
        f"{token:<{width}}  {probability:>4.0%}  "
        f"{'█' * round(BAR_CHARACTERS * probability):<{BAR_CHARACTERS}}"
        f"{'  typed' if is_kept else ''}".rstrip()
        for token, probability, is_kept in zip(
            selected.tokens, selected.probabilities, selected.keep, strict=True
        )
    ]
    saved = 1 - typed_characters / sentence_characters
    return "\n".join(
        [
            *rows,
            "",
            " ".join(selected.keywords) or "(nothing)",
            f"{sum(selected.keep)} of {len(selected.tokens)} tokens typed",
            f"{typed_characters} of {sentence_characters} characters typed, {saved:.0%} saved",
        ]
    )
