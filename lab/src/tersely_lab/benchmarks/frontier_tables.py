"""What `tersely bench frontier` prints and draws."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tersely.errors import UsageError
from tersely.storage.atomic import new_file
from tersely_lab.benchmarks.markdown import table
from tersely_lab.benchmarks.paper_sized import UNITS

TITLES = {"exact_match": "greedy", "exact_match_served": "served", "top3": "top three"}
COLORS = {
    "ours": "#f26419",
    "constrained": "#2f4858",
    "linear": "#33658a",
    "unif": "#86bbd8",
    "stopword": "#7a9e7e",
}


def render(found: dict[str, Any]) -> str:
    """Show all figures as Markdown."""
    sections = [
        f"{found['sentences']:,} held-out sentences (the sweep's schemes on "
        f"{min(point['all']['sentences'] for point in found['sweep']):,}); "
        "exact match and top three in per cent.",
        _points(found["ours"], found["sweep"]),
        f"Ours with 95 % intervals over sentences{_seeds(found['seeds'])}:",
        _ours(found["ours"]),
        "Ours against the best of the sweep at the same typed fraction:",
        _lead(found["lead"]["all"]),
        "On sentences of the paper's length, against the paper's own best (greedy):",
        _paper(found["paper"]),
        "Each scheme against our curve at the same typed fraction, on all sentences:",
        _beaten(found["points"]["all"]),
        "And on those of the paper's length:",
        _beaten(found["points"]["matched"]),
        "Keywords that no learned encoder chose:",
        _robustness(found["robustness"]),
        "Words as people type them, without case marks and punctuation, completed by ours without "
        "a budget (the sentence comes first; is among all that is shown):",
        _people(found["people"]),
        _rest(found),
    ]
    return "\n\n".join(sections)


def _points(ours: Sequence[dict[str, Any]], sweep: Sequence[dict[str, Any]]) -> str:
    rows = [
        [
            point["name"],
            *_percents(point["all"], "typed_fraction", *TITLES),
            *_percents(point["matched"], "typed_fraction", *TITLES),
            "–" if point["training_seconds"] is None else f"{point['training_seconds'] / 60:.0f}",
        ]
        for point in (*sweep, *ours)
    ]
    short = [f"{name}, short" for name in ("typed", *TITLES.values())]
    return table(["scheme", "typed", *TITLES.values(), *short, "minutes to train"], rows)


def _seeds(count: int) -> str:
    return f", in the mean over {count} seeds, and the seeds' range" if count > 1 else ", one seed"


def _ours(points: Sequence[dict[str, Any]]) -> str:
    rows = []
    for point in points:
        row = [f"{point['budget']:g}", f"{point['all']['typed_fraction']:.3f}"]
        for name in TITLES:
            own = point["all"]
            row += [
                f"{100 * own[name]:.1f}",
                _range(own["intervals"][name]),
                _range((min(own["seeds"][name]), max(own["seeds"][name]))),
            ]
        rows.append(row)
    heads = [head for title in TITLES.values() for head in (title, "95 %", "seeds")]
    return table(["asked", "typed", *heads], rows)


def _range(ends: Sequence[float]) -> str:
    return " to ".join(f"{100 * end:.1f}" for end in ends)


def _lead(measures: dict[str, list[dict[str, Any]]]) -> str:
    rows = [
        [
            TITLES[name],
            f"{row['typed_fraction']:.2f}",
            f"{row['ours']:.1%}",
            f"{row['best']:.1%}",
            row["best_family"],
            _times(row["times"]),
        ]
        for name, lines in measures.items()
        for row in lines
    ]
    return table(["measure", "typed", "ours", "best", "whose", "times"], rows)


def _paper(lines: Sequence[dict[str, Any]]) -> str:
    rows = [
        [f"{row['typed_fraction']:.2f}", f"{row['ours']:.1%}", f"{row['best']:.1%}"]
        for row in lines
    ]
    return table(["typed", "ours", "paper"], rows)


def _beaten(points: dict[str, list[dict[str, Any]]]) -> str:
    lines = []
    for name, rows in points.items():
        known = [row for row in rows if row["is_beaten"] is not None]
        ahead = [row["name"] for row in known if not row["is_beaten"]]
        if not known:
            lines.append(f"- {TITLES[name]}: no scheme lies within our curve's reach")
            continue
        said = f"not above {', '.join(ahead)}" if ahead else "above all"
        lines.append(
            f"- {TITLES[name]}: our curve is {said}, of {len(known)} schemes within its reach "
            f"({len(rows) - len(known)} beyond)"
        )
    return "\n".join(lines)


def _robustness(found: dict[str, Any]) -> str:
    rows = []
    for name, row in found.items():
        for measure, title in TITLES.items():
            best = row[f"best_{measure}"]
            rows.append(
                [
                    name,
                    f"{row['ours']['typed_fraction']:.2f}",
                    title,
                    f"{row['ours'][measure]:.1%}",
                    _range(row["ours"]["intervals"][measure]),
                    f"{best['value']:.1%}",
                    best["decoder"],
                    _times(best["times"]),
                ]
            )
    heads = ["keywords", "typed", "measure", "ours", "95 %", "best", "whose", "times"]
    return table(heads, rows)


def _people(found: dict[str, Any]) -> str:
    rows = [
        [name, f"{row['sentences']:,}", f"{row['first']:.1%}", f"{row['shown']:.1%}"]
        for name, row in found.items()
    ]
    return table(["typed", "sentences", "first", "shown"], rows)


def _rest(found: dict[str, Any]) -> str:
    speed = found["decoding"]
    return (
        f"A budget is kept to within {found['budget_error']:.3f}. "
        f"Decoding takes {speed['ours_milliseconds']:.1f} ms a sentence, the paper's decoder "
        f"({speed['paper_decoder']}) with its {UNITS} units {speed['paper_milliseconds']:.1f}, "
        f"{speed['times_faster']:.2f} times as long; with the units it was trained with "
        f"{speed['as_trained_milliseconds']:.1f}."
    )


def _percents(figures: dict[str, Any], *names: str) -> list[str]:
    return [f"{100 * figures[name]:.1f}" for name in names]


def _times(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def plot(found: dict[str, Any], path: Path) -> None:
    """Draw exact match and top three over the typed fraction, on all sentences and short ones."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UsageError('--plot needs matplotlib. Try: pip install "tersely[train]"') from error
    figure = Figure(figsize=(10, 8), layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(2, 2, sharex=True)
    shown = (("all", "all sentences"), ("matched", "of the paper's length"))
    for row, (subset, subset_title) in zip(grid, shown, strict=True):
        for axes, measure in zip(row, ("exact_match", "top3"), strict=True):
            for family, points in _curves(found).items():
                line = sorted(
                    (point[subset]["typed_fraction"], 100 * point[subset][measure])
                    for point in points
                )
                style = "-o" if family in ("ours", "constrained") else "--o"
                axes.plot(
                    *zip(*line, strict=True),
                    style,
                    color=COLORS.get(family, "#999999"),
                    markersize=4,
                    label=family,
                )
                if family == "ours":
                    _draw_range(axes, points, subset, measure)
            axes.set_title(f"{TITLES[measure]}, {subset_title} (%)", fontsize=10)
            axes.spines[["top", "right"]].set_visible(False)
    for axes in grid[1]:
        axes.set_xlabel("tokens typed (share)")
    grid[0][0].legend(frameon=False)
    with new_file(path) as partial:
        figure.savefig(partial, dpi=130, format="png")


def _draw_range(axes: Any, points: Sequence[dict[str, Any]], subset: str, measure: str) -> None:
    """Shade what the intervals over sentences and the seeds reach to."""
    rows = sorted(
        (
            own["typed_fraction"],
            100 * min(own["intervals"][measure][0], *own["seeds"][measure]),
            100 * max(own["intervals"][measure][1], *own["seeds"][measure]),
        )
        for own in (point[subset] for point in points)
    )
    axes.fill_between(*zip(*rows, strict=True), color=COLORS["ours"], alpha=0.2, linewidth=0)


def _curves(found: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    curves: dict[str, list[dict[str, Any]]] = {}
    for point in (*found["sweep"], *found["ours"]):
        curves.setdefault(point["family"], []).append(point)
    return curves
