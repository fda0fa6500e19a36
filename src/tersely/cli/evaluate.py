"""`tersely evaluate`: a model on held-out sentences."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tersely.errors import UsageError

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
    "kept_with_eos": "tokens kept, end mark counted (paper)",
    "typed_characters": "characters typed",
    "exact_match": "exact match, greedy (paper)",
    "exact_match_served": "exact match, as served",
    "top3": "in the top three, as served",
    "nll_per_token": "loss, nats a token",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    from tersely.cli.options import add_model_option

    parser.epilog = EXAMPLES
    add = parser.add_argument
    add_model_option(parser)
    add("--sentences", required=True, type=Path, metavar="FILE", help="one a line")
    add("--budget", type=float, metavar="F", help="mean share of tokens to type")
    add("--limit", type=int, metavar="N", help="only the first N sentences")
    add("--max-tokens", type=int, default=16, metavar="N", help="leave longer ones out (16)")
    add("--predictions", type=Path, metavar="OUT", help="write what became of each, as JSON lines")
    add("--outcomes", type=Path, metavar="OUT", help="write what a report needs, without text")
    add("--examples", type=int, default=8, metavar="N", help="examples to show (8)")
    add("--json", action="store_true", help="print the figures as JSON")
    add("--json-to", type=Path, metavar="FILE", help="write the figures as JSON to a file")


def run(given: argparse.Namespace) -> None:
    """Evaluate and print."""
    from tqdm import tqdm

    from tersely.cli.options import load_completer
    from tersely.evaluation.metrics import length_matched, predict, summarise
    from tersely.storage.atomic import new_file

    if given.limit is not None and given.limit < 1:
        raise UsageError("--limit: at least 1.")
    if given.examples < 0:
        raise UsageError("--examples: at least 0.")
    for option, path in (("--predictions", given.predictions), ("--outcomes", given.outcomes)):
        if path and path.is_dir():
            raise UsageError(f"{path}: a folder; {option} takes a file.")
    sentences = read_lines(given.sentences, given.limit)
    completer = load_completer(given.model)
    with tqdm(total=len(sentences), unit="sentence", dynamic_ncols=True) as bar:
        predictions = predict(
            completer,
            sentences,
            budget=given.budget,
            max_tokens=given.max_tokens,
            progress=lambda count: bar.update(count) and None,
        )
    if not predictions:
        raise UsageError(f"{given.sentences}: no sentence of at most {given.max_tokens} tokens.")
    limit, short = length_matched(predictions)
    results = {
        **summarise(predictions),
        "left_out_too_long": len(sentences) - len(predictions),
        "length_matched": {"max_tokens": limit, **summarise(short)},
    }
    if given.predictions:
        with new_file(given.predictions) as partial, partial.open("w", encoding="utf-8") as file:
            for one in predictions:
                file.write(json.dumps(one.as_dict(), ensure_ascii=False) + "\n")
    if given.outcomes:
        _write_outcomes(predictions, given.outcomes)
    if given.json_to:
        with new_file(given.json_to) as partial:
            partial.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(results) if given.json else _render(results, predictions[: given.examples]))


def _write_outcomes(predictions: "list[Prediction]", path: Path) -> None:
    from tersely.evaluation.outcomes import Judged, as_text, outcomes_of
    from tersely.storage.atomic import new_file

    judged = [
        Judged(one.sentence, one.keywords, one.exact, one.served, one.in_top3)
        for one in predictions
    ]
    with new_file(path) as partial:
        partial.write_text(as_text(outcomes_of(judged)), encoding="utf-8")


def read_lines(path: Path, limit: int | None) -> list[str]:
    """Read sentences, one a line; empty lines are left out."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 text ({error.reason}).") from error
    sentences = [line.strip() for line in lines if line.strip()][:limit]
    if not sentences:
        raise UsageError(f"{path}: empty; one sentence a line is needed.")
    return sentences


def _render(results: dict[str, Any], examples: list[Any]) -> str:
    matched = results["length_matched"]
    short = f"≤ {matched['max_tokens']} tokens"
    lines = [
        f"{results['sentences']:,} sentences of {results['tokens_a_sentence']:.1f} tokens; "
        f"{results['left_out_too_long']:,} longer ones left out",
        "",
        f"{'':<40}{'all':>8}  {'95 % interval':<18}{short:>12}",
    ]
    for name, label in LABELS.items():
        shape = ".3f" if name == "nll_per_token" else ".1%"
        low, high = results["intervals"][name]
        lines.append(
            f"{label:<40}{results[name]:>8{shape}}  "
            f"{f'{low:{shape}} to {high:{shape}}':<18}{matched[name]:>12{shape}}"
        )
    for one in examples:
        lines += [
            "",
            f"  {one.sentence}",
            f"    {' '.join(one.keywords) or '(nothing)'}",
            *(f"    {place}. {text}" for place, text in enumerate(one.suggestions, 1)),
        ]
    return "\n".join(lines)
