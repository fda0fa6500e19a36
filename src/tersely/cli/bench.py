"""`tersely bench`: one question a subcommand; each answers as a table or as JSON."""

import argparse
import json
from pathlib import Path

EXAMPLES = """\
examples:
  tersely bench text
  tersely bench text --sentences reviews.txt --limit 50000 --json
  tersely bench segment
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the benchmarks and their options."""
    parser.epilog = EXAMPLES
    benches = parser.add_subparsers(dest="bench", metavar="BENCH", required=True)
    text = benches.add_parser("text", help="tokenising and prepare, against spaCy and sacremoses")
    text.add_argument("--sentences", type=Path, metavar="FILE", help="one a line (the fixture)")
    text.add_argument("--limit", type=int, default=20_000, metavar="N", help="sentences (20000)")
    segment = benches.add_parser("segment", help="sentence segmenters on review-like text")
    for command in (text, segment):
        command.add_argument("--json", action="store_true", help="print the figures as JSON")


def run(given: argparse.Namespace) -> None:
    """Run the benchmark asked for and print its figures."""
    if given.bench == "text":
        from tersely.bench import text

        results = text.measure(text.read_sentences(given.sentences, given.limit))
        print(json.dumps(results) if given.json else text.render(results))
    else:
        from tersely.bench import segmentation

        print(segmentation.run(as_json=given.json))
