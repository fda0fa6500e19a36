"""Scale: the size and training time of a sweep, and the time of one as large as the paper's.

Times come from the logs. The time at another speed is computed from the number of tokens.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from tersely_lab.reproduction import paper
from tersely_lab.reproduction.document import Block, Column, Row, Section, Table, Text
from tersely_lab.reproduction.runs import Run
from tersely_lab.reproduction.sweep import Sweep
from tersely_lab.reproduction.verdicts import Reproduction

SPEED_FACTORS = (1, 10, 30, 100)  # times the measured speed


@dataclass(frozen=True, slots=True)
class RunScale:
    """Size and training time of one run."""

    name: str
    steps: int
    ending: str
    seconds: float
    train_sentences: int
    tokens: float | None  # processed, estimated from the log
    tokens_per_second: float | None  # median of the log


@dataclass(frozen=True, slots=True)
class SweepScale:
    """Size and training time of all runs together."""

    runs: tuple[RunScale, ...]
    hours: float
    tokens: float | None
    tokens_per_second: float | None
    train_sentences: int
    units: int

    def hours_at(self, tokens_per_second: float, *, sentences: int) -> float | None:
        """Return the time of as many passes over so many sentences, one run after another."""
        if self.tokens is None:
            return None
        return self.tokens * sentences / self.train_sentences / tokens_per_second / 3600


def reproduce(sweep: Sweep) -> Reproduction:
    """Show what the sweep took; the paper makes no claim about it."""
    return Reproduction(sections=(section(sweep_scale(sweep.results.runs)),))


def run_scale(run: Run) -> RunScale:
    """Read a run's size and time from its results and its log."""
    rows = [row for row in run.log if row["kind"] == "train"]
    speeds = [float(row["tokens_per_second"]) for row in rows if row.get("tokens_per_second")]
    lengths = [
        row["cost_tokens"] / row["kept_fraction"] for row in rows if row.get("kept_fraction")
    ]
    batch = int(run.record["config"]["training"]["batch_sentences"])
    steps = int(run.result["steps"])
    return RunScale(
        name=run.name,
        steps=steps,
        ending=str(run.result.get("ending")),
        seconds=float(run.result["seconds"]),
        train_sentences=int(run.result["train_sentences"]),
        tokens=steps * batch * statistics.fmean(lengths) if lengths else None,
        tokens_per_second=statistics.median(speeds) if speeds else None,
    )


def sweep_scale(runs: Sequence[Run]) -> SweepScale:
    """Sum up all runs."""
    scales = tuple(run_scale(run) for run in runs)
    tokens = [scale.tokens for scale in scales if scale.tokens is not None]
    speeds = [scale.tokens_per_second for scale in scales if scale.tokens_per_second is not None]
    return SweepScale(
        runs=scales,
        hours=sum(scale.seconds for scale in scales) / 3600,
        tokens=sum(tokens) if len(tokens) == len(scales) else None,
        tokens_per_second=statistics.median(speeds) if speeds else None,
        train_sentences=max(scale.train_sentences for scale in scales),
        units=int(runs[0].record["config"]["model"]["decoder_units"]),
    )


def section(scale: SweepScale) -> Section:
    """Lay out the times as measured, and as computed for the paper's size."""
    blocks: list[Block] = [
        Text(
            f"{scale.hours:.1f} hours of training in total, one run after another"
            + (f", {scale.tokens / 1e6:,.0f} million tokens" if scale.tokens else "")
            + (
                f", at {scale.tokens_per_second:,.0f} tokens a second (median of the runs' logs, "
                "wall-clock time: other work on the machine slows it down)."
                if scale.tokens_per_second
                else "."
            )
        ),
        _run_table(scale),
    ]
    if scale.tokens_per_second:
        blocks.append(_larger_table(scale, scale.tokens_per_second))
    return Section("What it took", tuple(blocks))


def _run_table(scale: SweepScale) -> Table:
    columns = (
        Column("run"),
        Column("steps", "count"),
        Column("ended by"),
        Column("minutes", "number"),
        Column("train sentences", "count"),
        Column("tokens gone through", "count"),
        Column("tokens a second", "count"),
    )
    rows: list[Row] = [
        (
            run.name,
            run.steps,
            run.ending,
            run.seconds / 60,
            run.train_sentences,
            run.tokens,
            run.tokens_per_second,
        )
        for run in scale.runs
    ]
    return Table("scale", "Size and time of each run", columns, rows)


def _larger_table(scale: SweepScale, tokens_per_second: float) -> Table:
    columns = (
        Column("tokens a second", "count"),
        Column("times ours", "count"),
        Column("hours, as it was", "number"),
        Column("hours, 500,000 sentences", "number"),
    )
    rows: list[Row] = [
        (
            factor * tokens_per_second,
            factor,
            *(
                scale.hours_at(factor * tokens_per_second, sentences=sentences)
                for sentences in (scale.train_sentences, paper.TRAIN_SENTENCES)
            ),
        )
        for factor in SPEED_FACTORS
    ]
    caption = (
        f"Time of the same runs with as many passes over {paper.TRAIN_SENTENCES:,} sentences. The "
        "first row is at our measured speed. The others are computed, not measured, for a GPU so "
        f"many times as fast. {paper.UNITS} units instead of {scale.units} take longer per step; "
        "the table does not account for that"
    )
    return Table("larger", caption, columns, rows)
