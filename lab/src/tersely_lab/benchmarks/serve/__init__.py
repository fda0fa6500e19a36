"""`tersely bench serve`: the throughput and latency of the service, against one plain route."""

import argparse

from tersely_lab.benchmarks.command import (
    check_installed,
    check_positive,
    print_progress,
    print_results,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("--model", default="default", metavar="MODEL", help="a model folder or a run (ours)")
    add("--requests", type=int, default=200, metavar="N", help="in each of 3 rounds (200)")
    add("--workers", type=int, default=1, metavar="N", help="processes of the service (1)")


def run(args: argparse.Namespace) -> None:
    """Measure and print."""
    check_installed("fastapi", "uvicorn", extra="serve", name="FastAPI")
    check_positive(args, "requests", "workers")
    from tersely.completion.completer import Completer
    from tersely_lab.benchmarks.serve.benchmark import ServeBench, measure, render

    Completer.load(args.model)  # an error in the model is reported here, in one line
    bench = ServeBench(args.model, requests=args.requests, workers=args.workers)
    print_results(measure(bench, log=print_progress), render, as_json=args.json)
