"""`tersely bench NAME`: runs the benchmark of that name and prints tables or JSON.

A benchmark is a module or package of tersely_lab.benchmarks that declares its own options. Only
the one that the command line names is imported, so that `tersely bench --help` is quick.
"""

import argparse
from collections.abc import Iterable
from importlib import import_module
from types import ModuleType
from typing import Any

BENCHMARKS = {
    "text": "tokenising and prepare, against spaCy and sacremoses",
    "segment": "sentence segmenters on review-like text",
    "train": "training, against OpenNMT-py",
    "frontier": "a model with a budget against a sweep",
    "specialists": "against decoders trained on one rule",
    "calibration": "whether scores are probabilities",
    "showcase": "sixty inputs of every kind, and the answers",
    "runtimes": "a decoder step in NumPy and in onnxruntime",
    "latency": "three suggestions, against OpenNMT-py and a T5",
    "serve": "the service, against one plain route",
}
EXAMPLES = """\
examples:
  tersely bench text
  tersely bench text --sentences reviews.txt --limit 50000 --json
  tersely bench segment
  tersely bench train --threads 1
  tersely bench train --no-peer --steps 3
  tersely bench latency --model runs/distilled --sentences test.txt --json
  tersely bench runtimes --model runs/distilled
  tersely bench frontier --sweep sweeps/reviews --model runs/distilled --sentences test.txt
  tersely bench specialists --sweep sweeps/reviews --model runs/distilled --data data/reviews
  tersely bench calibration --sentences dev.txt --plot reliability.png
  tersely bench showcase
  tersely bench serve --requests 100 --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the benchmarks; each adds its options when it is parsed."""
    parser.epilog = EXAMPLES
    benchmarks = parser.add_subparsers(
        dest="bench", metavar="BENCH", required=True, parser_class=_BenchmarkParser
    )
    for name, summary in BENCHMARKS.items():
        benchmarks.add_parser(name, help=summary)


def run(args: argparse.Namespace) -> None:
    """Run the benchmark that the command line names."""
    _load(args.bench).run(args)


class _BenchmarkParser(argparse.ArgumentParser):
    """A parser that imports its benchmark and adds its options when it parses."""

    def parse_known_args(
        self, args: Iterable[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        if self.get_default("json") is None:
            name = self.prog.split()[-1]
            _load(name).add_arguments(self)
            self.add_argument("--json", action="store_true", help="print the figures as JSON")
        return super().parse_known_args(args, namespace)


def _load(name: str) -> ModuleType:
    return import_module(f"tersely_lab.benchmarks.{name}")
