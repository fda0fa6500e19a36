"""`tersely report`: every figure and table of the paper from a sweep. The work is report/'s."""

import argparse
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

from tersely.errors import UsageError

EXAMPLES = """\
examples:
  tersely report sweeps/yelp --out report
  tersely report sweeps/yelp --out report --plan configs/tradeoff.toml --sentence "See you at 10."
  tersely report report/results --out again --markdown again.md

Runs that are missing, broken or not finished are named, and leave a gap. OUT/results holds what
is needed to make the page again without the weights; no sentence of the corpus is among it.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add("sweep", type=Path, metavar="SWEEP", help="folder of a sweep, or of its small results")
    add("--out", required=True, type=Path, metavar="DIR", help="folder of the report")
    add("--plan", type=Path, metavar="PLAN", help="the sweep's TOML: names runs never started")
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
    """Make the report and say what came of it."""
    from tersely.text.encoding import check_utf8
    from tersely.training.config import completed
    from tersely_lab.reproduction.report.writing import Request, write_report

    if given.matrix_sentences < 0:
        raise UsageError("--matrix-sentences: at least 0.")
    if given.draws < 100:
        raise UsageError("--draws: at least 100.")
    for sentence in given.sentence:
        check_utf8(sentence, "--sentence")
    analysis = write_report(
        Request(
            sweep=given.sweep,
            out=given.out,
            planned=_planned(given.plan),
            sentences=given.sentence,
            matrix_sentences=given.matrix_sentences,
            draws=given.draws,
            markdown=given.markdown,
            command=_command(given),
            complete=completed,
        ),
        lambda text: print(text, file=sys.stderr, flush=True),
    )
    for gap in analysis.results.gaps:
        print(f"missing: {gap.name}: {gap.reason}")
    print(f"{given.out / 'index.html'}: {len(analysis.results.runs)} runs.")


def _planned(plan: Path | None) -> list[str] | None:
    if plan is None:
        return None
    if find_spec("torch") is None:
        raise UsageError('--plan needs torch. Try: pip install "tersely[train]"')
    from tersely.training.sweep import load_plan

    return [planned.name for planned in load_plan(plan).runs]


def _command(given: argparse.Namespace) -> str:
    """The command that makes the page, without the places of one machine."""
    words = ["tersely", "report", given.sweep.name or "SWEEP", "--out", given.out.name or "DIR"]
    if given.matrix_sentences != 1000:
        words += ["--matrix-sentences", str(given.matrix_sentences)]
    if given.draws != 1000:
        words += ["--draws", str(given.draws)]
    return shlex.join(words)
