"""`tersely bench frontier`: one model with a budget against the schemes of a sweep."""

import argparse
from pathlib import Path

from tersely_lab.benchmarks.command import check_positive, print_progress, print_results


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("--sweep", required=True, type=Path, metavar="SWEEP", help="with finished runs")
    add("--model", required=True, type=Path, action="append", help="ours; again for more seeds")
    add("--sentences", required=True, type=Path, metavar="FILE", help="held out, one per line")
    add("--limit", type=int, metavar="N", help="only the first N sentences")
    add("--others", type=int, default=2000, metavar="N", help="for others' keywords (2000)")
    add("--plot", type=Path, metavar="PNG", help="draw the curves")


def run(args: argparse.Namespace) -> None:
    """Measure, print and plot."""
    from tersely.text.files import read_sentences
    from tersely_lab.benchmarks.frontier.benchmark import FrontierBench, measure
    from tersely_lab.benchmarks.frontier.tables import plot, render

    check_positive(args, "limit", "others")
    bench = FrontierBench(
        sweep=args.sweep,
        models=args.model,
        sentences=read_sentences(args.sentences, args.limit),
        robustness_sentences=args.others,
    )
    results = measure(bench, print_progress)
    print_results(results, render, as_json=args.json)
    if args.plot:
        plot(results, args.plot)
