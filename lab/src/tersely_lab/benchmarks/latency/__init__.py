"""`tersely bench latency`: the time to three suggestions, ours and that of other software."""

import argparse
from pathlib import Path

from tersely_lab.benchmarks.command import (
    check_installed,
    check_positive,
    peers_folder,
    print_progress,
    print_results,
    sentences_or_fixture,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("--model", metavar="MODEL", help="a model folder or a run (ours)")
    add("--sentences", type=Path, metavar="FILE", help="held out, one per line (the fixture)")
    add("--sets", type=int, default=300, metavar="N", help="sets of keywords to complete (300)")
    add("--rounds", type=int, default=3, metavar="N", help="in which all take turns (3)")
    add("--peers", type=Path, metavar="DIR", help="folder of the peers' venvs, made if need be")
    add("--no-peer", action="store_true", help="leave OpenNMT-py and transformers out")


def run(args: argparse.Namespace) -> None:
    """Measure and print."""
    from tersely_lab.benchmarks.latency.benchmark import LatencyBench, measure
    from tersely_lab.benchmarks.latency.tables import render
    from tersely_lab.benchmarks.peers import DEFAULT_FOLDER

    check_positive(args, "sets", "rounds")
    peers = peers_folder(args, DEFAULT_FOLDER)
    check_installed("torch", extra="bench", name="torch")
    bench = LatencyBench(
        sentences=sentences_or_fixture(args.sentences, 20 * args.sets),
        model=None if args.model is None else Path(args.model),
        count=args.sets,
        rounds=min(args.rounds, args.sets),
        peers=peers,
    )
    print_results(measure(bench, log=print_progress), render, as_json=args.json)
