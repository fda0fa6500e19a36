"""`tersely sweep`: run a queue of training runs and show a live table.

training/sweep.py does the work.
"""

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tersely.errors import TerselyError, UsageError

if TYPE_CHECKING:
    from tersely.training.sweep import Sweep

EXAMPLES = """\
examples:
  tersely sweep configs/tradeoff.toml --data data/yelp --out sweeps/yelp
  nice tersely sweep configs/tradeoff.toml --data data/yelp --out sweeps/yelp --parallel 2

Repeat the command to resume: finished runs are skipped.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add("plan", type=Path, metavar="PLAN", help="the plan of the sweep (TOML)")
    add("--data", required=True, type=Path, metavar="DIR", help="a prepared corpus")
    add("--out", required=True, type=Path, metavar="SWEEP", help="the folder for the runs")
    add("--parallel", type=int, default=1, metavar="N", help="runs at a time (default 1)")
    add("--threads", type=int, metavar="N", help="threads per run (default: all)")
    add(
        "--evaluate-sentences",
        type=int,
        metavar="N",
        help="number of test sentences (default: all)",
    )
    add("--results", type=Path, metavar="DIR", help="also copy each run's results here")


def run(args: argparse.Namespace) -> None:
    """Run the queue and print the result."""
    if find_spec("torch") is None:
        raise UsageError('Training needs torch. Try: pip install "tersely[train]"')
    from tersely.cli.options import check_minimum
    from tersely.corpus.dataset import PreparedCorpus
    from tersely.training.sweep import Sweep, SweepSettings, load_plan

    check_minimum(args, {"parallel": 1})
    plan = load_plan(args.plan)
    PreparedCorpus.open(args.data)
    sweep = Sweep(
        plan,
        SweepSettings(
            data=args.data,
            out=args.out,
            parallel=args.parallel,
            threads=args.threads,
            evaluate_sentences=args.evaluate_sentences,
            results=args.results,
        ),
    )
    with _Screen() as screen:
        sweep.run(screen.show)
    if sweep.failed:
        names = ", ".join(sorted(sweep.failed))
        raise TerselyError(f"{args.out}: failed: {names}. See their .log files.")
    print(f"{args.out}: all {len(plan.runs)} runs are done.")


class _Screen:
    """A live table on a terminal; otherwise one line for each change of status."""

    def __init__(self) -> None:
        self._live: Any = None
        self._printed: dict[str, str] = {}

    def __enter__(self) -> "_Screen":
        if sys.stdout.isatty() and find_spec("rich"):
            from rich.live import Live

            self._live = Live(refresh_per_second=2)
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()

    def show(self, sweep: "Sweep") -> None:
        """Redraw the table, or print the status of each run that has changed."""
        from tersely.training.sweep import summary_rows

        if self._live:
            self._live.update(_table(summary_rows(sweep), sweep.settings.parallel))
            return
        for planned in sweep.plan.runs:
            status = sweep.status(planned)
            if self._printed.get(planned.name) != status:
                self._printed[planned.name] = status
                print(f"{planned.name}: {status}", flush=True)


def _table(rows: Any, parallel: int) -> Any:
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for name in (
        "run",
        "status",
        "step",
        "kept",
        "loss",
        "λ",
        "exact match",
        "elapsed",
        "at most left",
    ):
        table.add_column(name, justify="left" if name in ("run", "status") else "right")
    for row in rows:
        table.add_row(
            row["name"],
            row["status"],
            f"{row['step']:,}" if "step" in row else "",
            _share(row.get("kept_fraction")),
            f"{row['loss_nats_a_token']:.3f}" if "loss_nats_a_token" in row else "",
            f"{row['weight_tokens_per_nat']:.2f}" if "weight_tokens_per_nat" in row else "",
            _share(row.get("exact_match")),
            _minutes(row.get("seconds")),
            _minutes(row.get("seconds_left")),
        )
    left = sum(row.get("seconds_left", 0.0) for row in rows) / parallel
    table.caption = f"at most {_minutes(left)} left, {parallel} at a time"
    return table


def _minutes(seconds: float | None) -> str:
    if seconds is None:
        return ""
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"
