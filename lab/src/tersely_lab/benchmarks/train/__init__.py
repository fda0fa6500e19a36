"""`tersely bench train`: the speed and memory of training, ours and OpenNMT-py's."""

import argparse
from pathlib import Path

from tersely_lab.benchmarks.command import (
    check_installed,
    check_positive,
    peers_folder,
    print_progress,
    print_results,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("--threads", type=int, metavar="N", help="processor threads, the same for all (all)")
    add("--steps", type=int, default=10, metavar="N", help="steps in each of 3 rounds (10)")
    add("--peers", type=Path, metavar="DIR", help="OpenNMT-py's venv, made if it is not there")
    add("--no-peer", action="store_true", help="leave OpenNMT-py out")


def run(args: argparse.Namespace) -> None:
    """Measure and print."""
    from tersely.corpus.processes import available_cpus
    from tersely_lab.benchmarks.peers import DEFAULT_FOLDER

    check_installed("torch", extra="bench", name="torch")
    check_positive(args, "threads", "steps")
    peer = peers_folder(args, DEFAULT_FOLDER / "opennmt")
    from tersely_lab.benchmarks.train.benchmark import TrainBench, measure
    from tersely_lab.benchmarks.train.tables import render

    bench = TrainBench(threads=args.threads or available_cpus(), steps=args.steps, peer=peer)
    print_results(measure(bench, log=print_progress), render, as_json=args.json)
