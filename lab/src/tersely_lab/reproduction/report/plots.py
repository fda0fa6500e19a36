"""Plots: each a function that draws on a canvas what an analysis found."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tersely.errors import UsageError
from tersely.storage.atomic import new_file
from tersely_lab.reproduction import paper
from tersely_lab.reproduction.analysis import Analysis
from tersely_lab.reproduction.frequency import SEEN_AT_LEAST
from tersely_lab.reproduction.report.document import Figure
from tersely_lab.reproduction.resampling import Resampled, interval
from tersely_lab.reproduction.runs import NAMES, SYMBOLS, Run, Setting
from tersely_lab.reproduction.stability import series

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

COLORS = {"constrained": "#2a6b19", "linear": "#f29f05", "unif": "#2b59c3", "stopword": "#c8333a"}
TITLES = {"all": "all test sentences", "matched": "of the paper's length"}
DPI = 130

Draw = Callable[["Canvas"], None]


def save(figure: Figure, folder: Path) -> None:
    """Draw a figure and write it as PNG and as SVG, the same bytes for the same figures."""
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure as Canvas
    except ImportError as error:
        raise UsageError('Plots need matplotlib. Try: pip install "tersely[report]"') from error
    with rc_context({"svg.hashsalt": "tersely", "svg.fonttype": "path"}):
        canvas = Canvas(figsize=figure.inches, layout="constrained")
        FigureCanvasAgg(canvas)
        figure.draw(canvas)
        for axes in canvas.axes:
            axes.spines[["top", "right"]].set_visible(False)
        for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None})):
            with new_file(folder / f"{figure.name}.{kind}") as partial:
                canvas.savefig(partial, dpi=DPI, format=kind, metadata=metadata)


def tradeoff(analysis: Analysis, kinds: Sequence[str], at: float) -> Draw:
    """Draw exact match over kept_with_eos on both subsets, beside the paper's points."""

    def draw(canvas: "Canvas") -> None:
        for axes, sample in zip(canvas.subplots(1, 2), analysis.samples, strict=True):
            for kind in kinds:
                _curve(axes, sample, analysis.curve(kind), kind)
            _paper_points(axes, kinds)
            axes.axvline(100 * at, color="#999999", linewidth=0.8, linestyle=":")
            axes.set_title(f"{TITLES[sample.subset]}, {sample.sentences:,}", fontsize=10)
            axes.set_xlabel("kept, end mark counted (%)")
            axes.set_ylabel("exact match, greedy (%)")
            axes.legend(frameon=False, fontsize=8)

    return draw


def _curve(axes: Any, sample: Resampled, settings: Sequence[Setting], kind: str) -> None:
    rows = []
    for one in settings:
        draws = sample.of(one, "exact_match")
        low, high = interval(draws) or (float(draws[0]), float(draws[0]))
        kept = float(sample.of(one, "kept_with_eos")[0])
        rows.append([100 * value for value in (kept, float(draws[0]), low, high)])
    if not rows:
        return
    x, y, below, above = zip(*sorted(rows), strict=True)
    axes.plot(x, y, "-o", color=COLORS[kind], markersize=4, label=NAMES[kind])
    axes.vlines(x, below, above, color=COLORS[kind], linewidth=1)


def _paper_points(axes: Any, kinds: Sequence[str]) -> None:
    for kind in kinds:
        points = sorted(
            (100 * paper.KEPT_WITH_EOS[scheme], 100 * (paper.exact_match(scheme, scheme) or 0.0))
            for scheme in paper.DECODERS
            if scheme[0] == kind
        )
        if points:
            axes.plot(
                *zip(*points, strict=True),
                "x",
                color=COLORS[kind],
                markersize=5,
                alpha=0.6,
                label=f"{NAMES[kind]}, paper (table 2)",
            )


def retention_by_parameter(analysis: Analysis) -> Draw:
    """Draw the typed fraction over λ and over ε, a dot a run."""

    def draw(canvas: "Canvas") -> None:
        whole = analysis.samples[0]
        for axes, kind in zip(canvas.subplots(1, 2), ("linear", "constrained"), strict=True):
            settings = analysis.curve(kind)
            typed = [100 * float(whole.of(one, "typed_fraction")[0]) for one in settings]
            axes.plot([one.parameter for one in settings], typed, "-", color=COLORS[kind])
            for one in settings:
                dots = [
                    100 * float(whole.figures[run.name]["typed_fraction"][0]) for run in one.runs
                ]
                axes.plot([one.parameter] * len(dots), dots, "o", color=COLORS[kind], markersize=4)
            axes.set_ylim(-3, 103)
            axes.set_title(NAMES[kind], fontsize=10)
            axes.set_xlabel(SYMBOLS[kind])
            axes.set_ylabel("tokens typed (%)")
            if kind == "linear":
                limits = (paper.LINEAR_KEEPS_NONE_UP_TO, paper.LINEAR_KEEPS_ALL_FROM)
                axes.axvspan(*limits, color="#999999", alpha=0.3, linewidth=0)

    return draw


def courses(runs: Sequence[Run]) -> Draw:
    """Draw kept, loss and λ over steps, a line a run."""
    panels = {
        "kept_fraction": ("dev", "tokens kept on dev (share)"),
        "loss_nats_a_token": ("dev", "loss on dev (nats a token)"),
        "weight_tokens_per_nat": ("train", "λ"),
    }

    def draw(canvas: "Canvas") -> None:
        for axes, (key, (kind, title)) in zip(canvas.subplots(1, 3), panels.items(), strict=True):
            for place, run in enumerate(runs):
                rows = series(run, key, kind)
                if rows:
                    shade = 0.35 + 0.65 * place / max(1, len(runs) - 1)
                    axes.plot(
                        *zip(*rows, strict=True),
                        color=COLORS[run.kind],
                        alpha=shade,
                        label=run.name,
                    )
            axes.set_title(title, fontsize=10)
            axes.set_xlabel("step")
        canvas.axes[0].legend(frameon=False, fontsize=7)

    return draw


def frequencies(run: Run) -> Draw:
    """Draw each word type's kept share over its frequency (figure 4)."""

    def draw(canvas: "Canvas") -> None:
        words = run.outcomes.words["all"].types.words_only()
        often = words.count >= SEEN_AT_LEAST
        count, kept = words.count[often], words.kept[often]
        axes = canvas.subplots()
        axes.scatter(
            count, 100 * kept / count, s=8, alpha=0.4, color=COLORS[run.kind], linewidths=0
        )
        names = [name for name, seen in zip(words.names, often, strict=True) if seen]
        for index in (-count).argsort(kind="stable")[:12]:
            axes.annotate(
                str(names[index]), (count[index], 100 * kept[index] / count[index]), fontsize=7
            )
        axes.set_xscale("log")
        axes.set_xlabel("occurrences in the test set")
        axes.set_ylabel("kept (%)")

    return draw


def parts_of_speech(analysis: Analysis, run: Run) -> Draw:
    """Draw kept by part of speech beside the paper's (table 3)."""

    def draw(canvas: "Canvas") -> None:
        tags = analysis.parts["all"][run.name].tags
        names = [name for name in paper.PARTS_OF_SPEECH if name in tags]
        axes = canvas.subplots()
        places = range(len(names))
        ours = [100 * tags[name].share for name in names]
        theirs = [100 * paper.PARTS_OF_SPEECH[name] for name in names]
        axes.barh(
            [place + 0.2 for place in places], ours, 0.4, color=COLORS[run.kind], label=run.label
        )
        axes.barh([place - 0.2 for place in places], theirs, 0.4, color="#bbbbbb", label="paper")
        axes.set_yticks(list(places), names)
        axes.set_xlabel("kept (%)")
        axes.legend(frameon=False)

    return draw
