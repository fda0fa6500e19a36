"""Metrics of a run: a JSON line every few steps, a plot, and TensorBoard.

When a run resumes, lines past the step it resumes from are dropped, so that the file reads as if
the run had never been interrupted.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tersely.errors import UsageError
from tersely.game.step import StepMetrics
from tersely.storage.atomic import new_file

MetricsCallback = Callable[[int, dict[str, float]], None]
"""Receives a step and the metrics logged there."""


class MetricsLog:
    """Appends to RUN/metrics.jsonl."""

    def __init__(self, run: Path, *, resume_at: int) -> None:
        self.path = run / "metrics.jsonl"
        self.rows = [row for row in read_metrics(self.path) if row["step"] <= resume_at]
        with new_file(self.path) as partial:
            partial.write_text("".join(json.dumps(row) + "\n" for row in self.rows))
        self._file = self.path.open("a", encoding="utf-8")

    def write(self, row: dict[str, Any]) -> None:
        """Append a line."""
        self.rows.append(row)
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """Read a metrics file, without a last line that a crash cut off."""
    if not path.exists():
        return []
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            break
    return rows


def average_metrics(steps: Iterable[StepMetrics]) -> dict[str, float]:
    """Average the metrics of several steps, field by field."""
    rows = [asdict(metrics) for metrics in steps]
    return {key: sum(row[key] for row in rows) / len(rows) for key in rows[0] if key != "tokens"}


def plot_metrics(rows: list[dict[str, Any]], path: Path, *, title: str) -> bool:
    """Plot cost, loss, λ and kept fraction over steps; False if matplotlib is not installed."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure(figsize=(9, 6), layout="constrained")
    FigureCanvasAgg(figure)
    panels = {
        "kept_fraction": "tokens kept (share)",
        "loss_nats_a_token": "loss (nats per token)",
        "cost_tokens": "cost (tokens per sentence)",
        "weight_tokens_per_nat": "λ",
    }
    for axes, (key, label) in zip(figure.subplots(2, 2).flat, panels.items(), strict=True):
        for kind, color, width in (("train", "#9fb8cc", 1.0), ("dev", "#f26419", 1.8)):
            points = [(row["step"], row[key]) for row in rows if row["kind"] == kind and key in row]
            if points:
                axes.plot(*zip(*points, strict=True), color=color, linewidth=width, label=kind)
        axes.set_title(label, fontsize=10)
        axes.set_xlabel("step")
        axes.spines[["top", "right"]].set_visible(False)
    if rows:
        figure.axes[0].legend(frameon=False)
    figure.suptitle(title)
    with new_file(path) as partial:
        figure.savefig(partial, dpi=110, format="png")
    return True


@contextmanager
def tensorboard(run: Path, *, is_enabled: bool) -> Iterator[MetricsCallback]:
    """Yield a callback that writes to RUN/tensorboard, or one that does nothing."""
    if not is_enabled:
        yield lambda step, row: None
        return
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise UsageError("--tensorboard needs TensorBoard. Try: pip install tensorboard") from error
    writer = SummaryWriter(run / "tensorboard")

    def write(step: int, row: dict[str, float]) -> None:
        for name, value in row.items():
            writer.add_scalar(name, value, step)

    try:
        yield write
    finally:
        writer.close()
