"""Calibration of scores: how often suggestions of each score are the sentence meant."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tersely.completion.completer import Completer
from tersely.errors import UsageError
from tersely.evaluation.calibration import collect_samples, reliability, remove_calibration
from tersely.storage.atomic import new_file
from tersely_lab.benchmarks.markdown import table

TITLES = {"as_served": "as served", "uncalibrated": "p(x|z), uncalibrated"}


def measure(
    completer: Completer,
    sentences: Sequence[str],
    progress: Callable[[int], None] = lambda count: None,
) -> dict[str, Any]:
    """Judge the scores as they are served, and p(x|z) itself beside them."""
    plain = Completer(remove_calibration(completer.model))
    found: dict[str, Any] = {"sentences": len(sentences)}
    for name, one in (("as_served", completer), ("uncalibrated", plain)):
        judged = collect_samples(one, sentences, progress=progress)
        found[name] = {"all": reliability(judged), "first": reliability(judged, first_only=True)}
    return found


def render(found: dict[str, Any]) -> str:
    """As a table of bins and the mean errors."""
    served = found["as_served"]["first"]
    rows = [
        [f"{row['mean_score']:.2f}", f"{row['share_right']:.2f}", f"{row['suggestions']:,}"]
        for row in served["bins"]
    ]
    errors = [
        f"{TITLES[name]}: {found[name]['first']['calibration_error']:.3f} of first suggestions, "
        f"{found[name]['all']['calibration_error']:.3f} of all three"
        for name in TITLES
    ]
    head = ["mean score of first suggestions", "share right", "suggestions"]
    return "\n".join([table(head, rows), "", "Calibration error,", *errors])


def plot(found: dict[str, Any], path: Path) -> None:
    """Draw how often each score is right."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UsageError('--plot needs matplotlib. Try: pip install "tersely[train]"') from error
    figure = Figure(figsize=(5, 5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=1, label="as it should be")
    for name, color in (("uncalibrated", "#c07a3e"), ("as_served", "#2d6cb5")):
        bins = found[name]["first"]["bins"]
        scores = [row["mean_score"] for row in bins]
        axes.plot(scores, [row["share_right"] for row in bins], "-o", color=color, markersize=4)
        axes.lines[-1].set_label(TITLES[name])
    axes.set_xlabel("score of the first suggestion")
    axes.set_ylabel("share that was the sentence meant")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    with new_file(path) as partial:
        figure.savefig(partial, dpi=130, format="png")
