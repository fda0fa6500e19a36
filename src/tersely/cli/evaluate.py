"""`tersely evaluate`: metrics of a model on held-out sentences."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tersely.errors import UsageError
from tersely.progress import ProgressBar

if TYPE_CHECKING:
    from tersely.evaluation.metrics import Prediction

EXAMPLES = """\
examples:
  tersely evaluate --model runs/notes --sentences test.txt
  tersely evaluate --model runs/notes --sentences test.txt --budget 0.35 --limit 1000 --json
  tersely evaluate --model runs/notes --sentences test.txt --predictions predictions.jsonl
"""

LABELS = {
    "typed_fraction": "tokens typed",
    "kept_with_eos": "tokens kept, end token included (paper)",
    "typed_characters": "characters typed",
    "exact_match": "exact match, greedy (paper)",
    "exact_match_served": "exact match, as served",
    "top3": "in the top three, as served",
    "nll_per_token": "loss, nats per token",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    from tersely.cli.options import add_model_option

    parser.epilog = EXAMPLES
    add = parser.add_argument
    add_model_option(parser)
    add("--sentences", required=True, type=Path, metavar="FILE", help="one sentence per line")
    add("--budget", type=float, metavar="F", help="mean share of tokens to type")
    add("--limit", type=int, metavar="N", help="only the first N sentences")
    add(
        "--max-tokens",
        type=int,
        default=16,
        metavar="N",
        help="leave out longer sentences (default 16)",
    )
    add(
        "--predictions",
        type=Path,
        metavar="OUT",
        help="write the prediction for each sentence, as JSON lines",
    )
    add(
        "--outcomes",
        type=Path,
        metavar="OUT",
        help="write the outcomes that `tersely report` reads; they contain no text",
    )
    add("--examples", type=int, default=8, metavar="N", help="examples to print (default 8)")
    add("--json", action="store_true", help="print the metrics as JSON")
    add("--json-to", type=Path, metavar="FILE", help="write the metrics as JSON to a file")


def run(args: argparse.Namespace) -> None:
    """Evaluate the model; print the metrics and write the requested files."""
    from tersely.cli.options import check_minimum
    from tersely.completion.completer import Completer
    from tersely.evaluation.metrics import length_matched, predict, summarise
    from tersely.text.files import read_sentences

    check_minimum(args, {"limit": 1, "examples": 0})
    for option, path in (("--predictions", args.predictions), ("--outcomes", args.outcomes)):
        if path and path.is_dir():
            raise UsageError(f"{path}: is a folder; {option} takes a file.")
    sentences = read_sentences(args.sentences, args.limit)
    completer = Completer.load(args.model)
    with ProgressBar(len(sentences), unit="sentence") as bar:
        predictions = predict(
            completer,
            sentences,
            budget=args.budget,
            max_tokens=args.max_tokens,
            progress=bar.advance,
        )
    if not predictions:
        raise UsageError(
            f"{args.sentences}: no sentence has at most {args.max_tokens} tokens. "
            "Try a larger --max-tokens."
        )
    limit, short = length_matched(predictions)
    results = {
        **summarise(predictions),
        "left_out_too_long": len(sentences) - len(predictions),
        "length_matched": {"max_tokens": limit, **summarise(short)},
    }
    if args.predictions:
        _write_predictions(predictions, args.predictions)
    if args.outcomes:
        _write_outcomes(predictions, args.outcomes)
    if args.json_to:
        _write(args.json_to, json.dumps(results, indent=2) + "\n")
    print(json.dumps(results) if args.json else _render(results, predictions[: args.examples]))


def _write(path: Path, text: str) -> None:
    from tersely.storage.atomic import new_file

    with new_file(path) as partial:
        partial.write_text(text, encoding="utf-8")


def _write_predictions(predictions: "list[Prediction]", path: Path) -> None:
    rows = (json.dumps(prediction.as_dict(), ensure_ascii=False) for prediction in predictions)
    _write(path, "".join(f"{row}\n" for row in rows))


def _write_outcomes(predictions: "list[Prediction]", path: Path) -> None:
    from tersely.evaluation.outcomes import as_text, count_outcomes

    _write(path, as_text(count_outcomes(predictions)))


def _render(results: dict[str, Any], examples: "list[Prediction]") -> str:
    """Format a table of metrics with their intervals, and a few examples."""
    matched = results["length_matched"]
    short = f"≤ {matched['max_tokens']} tokens"
    lines = [
        f"{results['sentences']:,} sentences of {results['tokens_a_sentence']:.1f} tokens; "
        f"{results['left_out_too_long']:,} longer ones left out",
        "",
        f"{'':<40}{'all':>8}  {'95 % interval':<18}{short:>12}",
    ]
    for name, label in LABELS.items():
        number_format = ".3f" if name == "nll_per_token" else ".1%"
        value, short_value, low, high = (
            format(number, number_format)
            for number in (results[name], matched[name], *results["intervals"][name])
        )
        lines.append(f"{label:<40}{value:>8}  {f'{low} to {high}':<18}{short_value:>12}")
    for prediction in examples:
        lines += [
            "",
            f"  {prediction.sentence}",
            f"    {' '.join(prediction.keywords) or '(nothing)'}",
            *(f"    {rank}. {text}" for rank, text in enumerate(prediction.suggestions, 1)),
        ]
    return "\n".join(lines)
