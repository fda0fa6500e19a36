"""Training curves: retention, loss and λ during training (section 2).

The paper's claims: ε directly controls the reconstruction error, and Constrained first keeps
most tokens, then slowly learns to drop them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from matplotlib.figure import Figure as Canvas

from tersely_lab.reproduction.document import Block, Column, Draw, Figure, Table
from tersely_lab.reproduction.runs import OBJECTIVES, Run
from tersely_lab.reproduction.sweep import Sweep
from tersely_lab.reproduction.verdicts import Verdict, percent, ruling

ITEM = "Section 2"
EARLY_STEPS_SHARE = 0.2  # of all steps
MIN_EARLY_RETENTION = 0.8  # "keeps most tokens"
MIN_DROP = 0.05  # from the early peak to the end
MAX_STEP_SHARE = 0.5  # "slowly": of the whole drop, between two evaluations
PANELS = {
    "kept_fraction": ("dev", "tokens kept on dev (share)"),
    "loss_nats_a_token": ("dev", "loss on dev (nats a token)"),
    "weight_tokens_per_nat": ("train", "λ"),
}


@dataclass(frozen=True, slots=True)
class Descent:
    """How a run's retention on dev fell during training."""

    name: str
    label: str
    early_peak: float
    end: float
    largest_step: float | None  # between two evaluations, as a share of the whole drop

    @property
    def is_as_described(self) -> bool:
        """Whether the run kept most tokens first and then slowly dropped them."""
        return (
            self.early_peak >= MIN_EARLY_RETENTION
            and self.early_peak - self.end >= MIN_DROP
            and self.largest_step is not None
            and self.largest_step <= MAX_STEP_SHARE
        )


@dataclass(frozen=True, slots=True)
class LossBound:
    """A Constrained run's loss beside its bound ε."""

    name: str
    epsilon: float
    test_loss: float
    dev_loss: float | None
    final_multiplier: float | None  # λ

    @property
    def is_met(self) -> bool:
        """Whether the loss on test sentences is at most ε."""
        return self.test_loss <= self.epsilon


@dataclass(frozen=True, slots=True)
class TrainingCurves:
    """Descents and loss bounds of all Constrained runs, and the runs whose curves are drawn."""

    descents: tuple[Descent, ...]
    loss_bounds: tuple[LossBound, ...]
    drawn: dict[str, list[Run]]  # objective → first seed of each point


def compute(sweep: Sweep) -> TrainingCurves:
    """Read the logs of the runs."""
    runs = sweep.results.of_kind("constrained")
    descents = [measure_descent(run) for run in runs]
    return TrainingCurves(
        descents=tuple(descent for descent in descents if descent is not None),
        loss_bounds=tuple(read_loss_bound(run) for run in runs),
        drawn={
            kind: [point.runs[0] for point in sweep.points(kind)]
            for kind in ("constrained", "linear")
        },
    )


def measure_descent(run: Run) -> Descent | None:
    """Follow a run's retention on dev; None with fewer than three evaluations."""
    rows = series(run, "kept_fraction", "dev")
    if len(rows) < 3:
        return None
    last_step = rows[-1][0]
    early = [kept for step, kept in rows if step <= EARLY_STEPS_SHARE * last_step] or [rows[0][1]]
    peak, end = max(early), rows[-1][1]
    start = next(index for index, row in enumerate(rows) if row[1] == peak)
    falls = [before[1] - after[1] for before, after in pairwise(rows[start:])]
    drop = peak - end
    largest_step = max(falls) / drop if falls and drop > 0 else None
    return Descent(run.name, run.label, peak, end, largest_step)


def read_loss_bound(run: Run) -> LossBound:
    """Read a Constrained run's loss and its ε."""
    dev: dict[str, Any] = run.result.get("dev") or {}
    return LossBound(
        run.name,
        run.parameter,
        float(run.evaluation["nll_per_token"]),
        dev.get("loss_nats_a_token"),
        dev.get("weight_tokens_per_nat"),
    )


def series(run: Run, key: str, kind: str) -> list[tuple[int, float]]:
    """Return (step, value) pairs of one key in the run's log."""
    return [
        (int(row["step"]), float(row[key]))
        for row in run.log
        if row["kind"] == kind and isinstance(row.get(key), int | float)
    ]


def judge(curves: TrainingCurves) -> Iterator[Verdict]:
    """Judge the claims about training."""
    bounds, descents = curves.loss_bounds, curves.descents
    yield Verdict(
        ITEM,
        "ε directly controls the maximum reconstruction error",
        "no figure",
        "loss on the test sentences, in nats a token and with the keywords a user would type, ≤ ε",
        "; ".join(f"{bound.name}: {bound.test_loss:.3f}" for bound in bounds) or "no Constr run",
        ruling(all(bound.is_met for bound in bounds) if bounds else None),
    )
    yield Verdict(
        ITEM,
        "Constr first keeps most tokens, then slowly learns to drop",
        "no figure",
        "on dev: ≥ 80 % kept within the first fifth, at least 5 points less at the end, no single "
        "step between judgements more than half of the way; every Constr run",
        "; ".join(
            f"{descent.name}: {percent(descent.early_peak)} → {percent(descent.end)}, "
            f"largest step {percent(descent.largest_step)} of the way"
            for descent in descents
        )
        or "no course was logged",
        ruling(all(descent.is_as_described for descent in descents) if descents else None),
    )


def blocks(curves: TrainingCurves) -> list[Block]:
    """Lay out curves, descents and loss bounds."""
    figures = [
        Figure(
            f"course-{kind}",
            f"{OBJECTIVES[kind].name} during training, first seeds: retention and loss on dev, λ",
            plot(runs),
            (11.0, 3.8),
        )
        for kind, runs in curves.drawn.items()
        if runs
    ]
    return [*figures, _descent_table(curves.descents), _loss_table(curves.loss_bounds)]


def plot(runs: Sequence[Run]) -> Draw:
    """Draw retention, loss and λ over steps, one line per run."""

    def draw(canvas: Canvas) -> None:
        for axes, (key, (kind, title)) in zip(canvas.subplots(1, 3), PANELS.items(), strict=True):
            for place, run in enumerate(runs):
                rows = series(run, key, kind)
                if rows:
                    alpha = 0.35 + 0.65 * place / max(1, len(runs) - 1)
                    steps, values = zip(*rows, strict=True)
                    color = OBJECTIVES[run.kind].color
                    axes.plot(steps, values, color=color, alpha=alpha, label=run.name)
            axes.set_title(title, fontsize=10)
            axes.set_xlabel("step")
        canvas.axes[0].legend(frameon=False, fontsize=7)

    return draw


def _descent_table(descents: Sequence[Descent]) -> Table:
    columns = (
        Column("run"),
        Column("scheme"),
        Column("kept early, at most", "share"),
        Column("kept at the end", "share"),
        Column("largest step, of the way", "share"),
        Column("most first, then slowly fewer", "yes"),
    )
    rows = [
        (
            descent.name,
            descent.label,
            descent.early_peak,
            descent.end,
            descent.largest_step,
            descent.is_as_described,
        )
        for descent in descents
    ]
    caption = "How the retention of Constr runs fell during training, on dev"
    return Table("descent", caption, columns, rows)


def _loss_table(bounds: Sequence[LossBound]) -> Table:
    columns = (
        Column("run"),
        Column("ε", "number"),
        Column("loss on test, nats a token", "number"),
        Column("loss on dev", "number"),
        Column("λ at the end", "number"),
        Column("loss ≤ ε", "yes"),
    )
    rows = [
        (
            bound.name,
            bound.epsilon,
            bound.test_loss,
            bound.dev_loss,
            bound.final_multiplier,
            bound.is_met,
        )
        for bound in bounds
    ]
    caption = (
        "Whether the loss is at most ε. In training, masks are sampled; here, tokens with a keep "
        "probability above one half are typed, and the sentences were not trained on"
    )
    return Table("epsilon", caption, columns, rows)
