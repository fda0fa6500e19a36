"""`tersely bench calibration`: how often suggestions of each score are the intended sentence."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tersely.completion.completer import Completer
from tersely.evaluation.calibration import collect_samples, reliability, remove_calibration
from tersely.progress import ProgressBar
from tersely.text.files import read_sentences
from tersely_lab.benchmarks.command import check_positive, markdown_table, png_figure, print_results

TITLES = {"as_served": "as served", "uncalibrated": "p(x|z), uncalibrated"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("--model", metavar="MODEL", help="a model folder or a run (ours)")
    add("--sentences", required=True, type=Path, metavar="FILE", help="held out, one per line")
    add("--limit", type=int, default=1000, metavar="N", help="only the first N sentences (1000)")
    add("--plot", type=Path, metavar="PNG", help="draw the reliability")


def run(args: argparse.Namespace) -> None:
    """Measure, print and plot."""
    check_positive(args, "limit")
    sentences = read_sentences(args.sentences, args.limit)
    with ProgressBar(unit="sentence") as bar:
        results = measure(Completer.load(args.model), sentences, bar.advance)
    print_results(results, render, as_json=args.json)
    if args.plot:
        plot(results, args.plot)


def measure(
    completer: Completer,
    sentences: Sequence[str],
    progress: Callable[[int], None] = lambda count: None,
) -> dict[str, Any]:
    """Compute the reliability of the scores as served, and of p(x|z) itself."""
    uncalibrated = Completer(remove_calibration(completer.model))
    results: dict[str, Any] = {"sentences": len(sentences)}
    for name, variant in (("as_served", completer), ("uncalibrated", uncalibrated)):
        samples = collect_samples(variant, sentences, progress=progress)
        results[name] = {
            "all": reliability(samples),
            "first": reliability(samples, first_only=True),
        }
    return results


def render(results: dict[str, Any]) -> str:
    """Lay out the bins of the first suggestions and the calibration errors."""
    rows = [
        [f"{row['mean_score']:.2f}", f"{row['share_right']:.2f}", f"{row['suggestions']:,}"]
        for row in results["as_served"]["first"]["bins"]
    ]
    errors = [
        f"{title}: {results[name]['first']['calibration_error']:.3f} of first suggestions, "
        f"{results[name]['all']['calibration_error']:.3f} of all three"
        for name, title in TITLES.items()
    ]
    head = ["mean score of first suggestions", "share right", "suggestions"]
    return "\n".join([markdown_table(head, rows), "", "Calibration error,", *errors])


def plot(results: dict[str, Any], path: Path) -> None:
    """Draw the share of correct first suggestions over their score."""
    with png_figure(path, (5, 5)) as figure:
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=1, label="as it should be")
        for name, color in (("uncalibrated", "#c07a3e"), ("as_served", "#2d6cb5")):
            bins = results[name]["first"]["bins"]
            axes.plot(
                [row["mean_score"] for row in bins],
                [row["share_right"] for row in bins],
                "-o",
                color=color,
                markersize=4,
                label=TITLES[name],
            )
        axes.set_xlabel("score of the first suggestion")
        axes.set_ylabel("share that was the sentence meant")
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False)
