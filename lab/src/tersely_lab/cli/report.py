"""`tersely report`: reproduce the paper's figures and tables from a sweep (reproduction/)."""

import argparse
import shlex
import sys
from pathlib import Path

from tersely.errors import UsageError

EXAMPLES = """\
examples:
  tersely report sweeps/yelp --out report
  tersely report sweeps/yelp --out report --plan configs/tradeoff.toml --sentence "See you at 10."
  tersely report report/results --out again --markdown again.md

Missing, broken and unfinished runs are listed and left out. OUT/results holds the data of the page,
so it can be made again without the weights; it contains no sentence of the corpus.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add("sweep", type=Path, metavar="SWEEP", help="folder of a sweep, or of its small results")
    add("--out", required=True, type=Path, metavar="DIR", help="folder of the report")
    add("--plan", type=Path, metavar="PLAN", help="the sweep's TOML; lists runs never started")
    add(
        "--matrix-sentences",
        type=int,
        default=1000,
        metavar="N",
        help="sentences for encoders × decoders (1000; 0: leave the table out)",
    )
    add(
        "--sentence",
        action="append",
        default=[],
        metavar="TEXT",
        help="also show which words of this sentence are kept (may be repeated)",
    )
    add("--draws", type=int, default=1000, metavar="N", help="draws for intervals (1000)")
    add("--markdown", type=Path, metavar="FILE", help="also write the page as Markdown")


def run(given: argparse.Namespace) -> None:
    """Write the report; print its path and the missing runs."""
    from tersely.text.files import check_utf8
    from tersely_lab.reproduction.report import ReportOptions, write_report

    if given.matrix_sentences < 0:
        raise UsageError(f"--matrix-sentences {given.matrix_sentences}: must be at least 0.")
    if given.draws < 100:
        raise UsageError(f"--draws {given.draws}: must be at least 100.")
    for sentence in given.sentence:
        check_utf8(sentence, "--sentence")
    results = write_report(
        ReportOptions(
            sweep=given.sweep,
            out=given.out,
            planned=_planned(given.plan),
            sentences=given.sentence,
            matrix_sentences=given.matrix_sentences,
            draws=given.draws,
            markdown=given.markdown,
            command=_command(given),
        ),
        lambda text: print(text, file=sys.stderr, flush=True),
    )
    for gap in results.gaps:
        print(f"missing: {gap.name}: {gap.reason}")
    print(f"{given.out / 'index.html'}: {len(results.runs)} runs.")


def _planned(plan: Path | None) -> list[str] | None:
    if plan is None:
        return None
    from tersely.training.sweep import load_plan

    return [planned.name for planned in load_plan(plan).runs]


def _command(given: argparse.Namespace) -> str:
    """Return the command that makes the page, with folder names instead of full paths."""
    words = ["tersely", "report", given.sweep.name or "SWEEP", "--out", given.out.name or "DIR"]
    if given.matrix_sentences != 1000:
        words += ["--matrix-sentences", str(given.matrix_sentences)]
    if given.draws != 1000:
        words += ["--draws", str(given.draws)]
    return shlex.join(words)
