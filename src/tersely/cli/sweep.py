"""`tersely sweep`: a queue of runs with a live table. The work is training/sweep.py's."""

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

The same command again skips what is finished and goes on with the rest.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add("plan", type=Path, metavar="PLAN", help="a sweep, in TOML")
    add("--data", required=True, type=Path, metavar="DIR", help="a prepared corpus")
    add("--out", required=True, type=Path, metavar="SWEEP", help="folder of the runs")
    add("--parallel", type=int, default=1, metavar="N", help="runs side by side (1)")
    add("--threads", type=int, metavar="N", help="processor threads a run (all)")
    add("--evaluate-sentences", type=int, metavar="N", help="test sentences to judge on (all)")
    add("--results", type=Path, metavar="DIR", help="also keep each run's small results here")


def run(given: argparse.Namespace) -> None:
    """Work the queue off and say how it went."""
    if find_spec("torch") is None:
        raise UsageError('Training needs torch. Try: pip install "tersely[train]"')
    from tersely.corpus.dataset import PreparedCorpus
    from tersely.training.sweep import Sweep, SweepSettings, load_plan

    if given.parallel < 1:
        raise UsageError("--parallel: at least 1.")
    plan = load_plan(given.plan)
    PreparedCorpus.open(given.data)
    sweep = Sweep(
        plan,
        SweepSettings(
            data=given.data,
            out=given.out,
            parallel=given.parallel,
            threads=given.threads,
            evaluate_sentences=given.evaluate_sentences,
            results=given.results,
        ),
    )
    with _Screen() as screen:
        sweep.run(screen.show)
    if sweep.failed:
        names = ", ".join(sorted(sweep.failed))
        raise TerselyError(f"{given.out}: failed: {names}. See the .log of each; all else is done.")
    print(f"{given.out}: all {len(plan.runs)} runs are done.")


class _Screen:
    """A live table on a terminal; a line a change elsewhere."""

    def __init__(self) -> None:
        self._live: Any = None
        self._told: dict[str, str] = {}

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
        """Draw the table anew, or tell what has changed."""
        from tersely.training.sweep import summary_rows

        if self._live:
            self._live.update(_table(summary_rows(sweep), sweep.settings.parallel))
            return
        for planned in sweep.plan.runs:
            status = sweep.status(planned)
            if self._told.get(planned.name) != status:
                self._told[planned.name] = status
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
        "spent",
        "left, at most",
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
    table.caption = f"at most {_minutes(left)} in all, on {parallel} at a time"
    return table


def _minutes(seconds: float | None) -> str:
    if seconds is None:
        return ""
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"
