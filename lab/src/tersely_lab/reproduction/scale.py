"""Scale: what a sweep was trained on, what it took, and what a larger one would take.

Times are read from the logs. What another machine would need is arithmetic on the number of
tokens, and says so.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from tersely_lab.reproduction import paper
from tersely_lab.reproduction.runs import Run

FACTORS = (10, 30, 100)  # times our measured pace


@dataclass(frozen=True, slots=True)
class RunScale:
    """One run's size."""

    name: str
    steps: int
    ending: str
    seconds: float
    train_sentences: int
    tokens: float | None  # gone through, from the log
    tokens_per_second: float | None  # median of the log


def run_scale(run: Run) -> RunScale:
    """Read a run's size from its results and its log."""
    rows = [row for row in run.course if row["kind"] == "train"]
    paces = [float(row["tokens_per_second"]) for row in rows if row.get("tokens_per_second")]
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
        tokens_per_second=statistics.median(paces) if paces else None,
    )


@dataclass(frozen=True, slots=True)
class SweepScale:
    """All runs together."""

    runs: tuple[RunScale, ...]
    hours: float
    tokens: float | None
    tokens_per_second: float | None
    train_sentences: int
    units: int

    def hours_at(self, tokens_per_second: float, *, sentences: int) -> float | None:
        """As many passes over so many sentences, at this pace, one run after another."""
        if self.tokens is None:
            return None
        return self.tokens * sentences / self.train_sentences / tokens_per_second / 3600


def sweep_scale(runs: Sequence[Run]) -> SweepScale:
    """Add the runs up."""
    own = tuple(run_scale(run) for run in runs)
    tokens = [one.tokens for one in own if one.tokens is not None]
    paces = [one.tokens_per_second for one in own if one.tokens_per_second is not None]
    return SweepScale(
        runs=own,
        hours=sum(one.seconds for one in own) / 3600,
        tokens=sum(tokens) if len(tokens) == len(own) else None,
        tokens_per_second=statistics.median(paces) if paces else None,
        train_sentences=max(one.train_sentences for one in own),
        units=int(runs[0].record["config"]["model"]["decoder_units"]),
    )


def at_the_papers_size(scale: SweepScale, pace: float) -> float | None:
    """Hours for as many passes over the paper's 500K sentences, at a pace in tokens a second."""
    return scale.hours_at(pace, sentences=paper.TRAIN_SENTENCES)
