"""`tersely bench`: one question a subcommand; each answers as a table or as JSON."""

import argparse
import json
import sys
from importlib.util import find_spec
from pathlib import Path

from tersely.errors import UsageError

EXAMPLES = """\
examples:
  tersely bench text
  tersely bench text --sentences reviews.txt --limit 50000 --json
  tersely bench segment
  tersely bench train --threads 1
  tersely bench train --no-peer --steps 3
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the benchmarks and their options."""
    parser.epilog = EXAMPLES
    benches = parser.add_subparsers(dest="bench", metavar="BENCH", required=True)
    text = benches.add_parser("text", help="tokenising and prepare, against spaCy and sacremoses")
    text.add_argument("--sentences", type=Path, metavar="FILE", help="one a line (the fixture)")
    text.add_argument("--limit", type=int, default=20_000, metavar="N", help="sentences (20000)")
    segment = benches.add_parser("segment", help="sentence segmenters on review-like text")
    train = benches.add_parser("train", help="training, against OpenNMT-py")
    add = train.add_argument
    add("--threads", type=int, metavar="N", help="processor threads, the same for all (all)")
    add("--steps", type=int, default=10, metavar="N", help="steps in each of 3 rounds (10)")
    add("--peers", type=Path, metavar="DIR", help="OpenNMT-py's venv, made if it is not there")
    add("--no-peer", action="store_true", help="leave OpenNMT-py out")
    for command in (text, segment, train):
        command.add_argument("--json", action="store_true", help="print the figures as JSON")


def run(given: argparse.Namespace) -> None:
    """Run the benchmark asked for and print its figures."""
    if given.bench == "text":
        from tersely.bench import text

        results = text.measure(text.read_sentences(given.sentences, given.limit))
        print(json.dumps(results) if given.json else text.render(results))
    elif given.bench == "train":
        _run_train(given)
    else:
        from tersely.bench import segmentation

        print(segmentation.run(as_json=given.json))


def _run_train(given: argparse.Namespace) -> None:
    if find_spec("torch") is None:
        raise UsageError('This benchmark needs torch. Try: pip install "tersely[bench]"')
    for name in ("threads", "steps"):
        value = getattr(given, name)
        if value is not None and value < 1:
            raise UsageError(f"--{name} {value}: a number from 1 on.")
    if given.no_peer and given.peers:
        raise UsageError("--peers and --no-peer exclude each other. Give one of them.")
    from tersely.bench import opennmt, train, train_tables
    from tersely.text.processes import processors

    folder = (given.peers or opennmt.DEFAULT_FOLDER).expanduser().absolute()
    bench = train.TrainBench(
        threads=given.threads or processors(),
        steps=given.steps,
        peers=None if given.no_peer else folder,
    )
    found = train.measure(bench, say=lambda line: print(line, file=sys.stderr, flush=True))
    print(json.dumps(found) if given.json else train_tables.render(found))
