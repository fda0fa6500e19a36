"""Tables and plot of `tersely bench frontier`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tersely_lab.benchmarks.command import markdown_table, png_figure
from tersely_lab.benchmarks.paper_size import UNITS
from tersely_lab.benchmarks.quality import METRICS

COLORS = {
    "ours": "#f26419",
    "constrained": "#2f4858",
    "linear": "#33658a",
    "unif": "#86bbd8",
    "stopword": "#7a9e7e",
}


def render(results: dict[str, Any]) -> str:
    """Lay out all results as Markdown."""
    sections = [
        f"{results['sentences']:,} held-out sentences (the sweep's schemes on "
        f"{min(point['all']['sentences'] for point in results['sweep']):,}); "
        "exact match and top three in per cent.",
        _points(results["ours"], results["sweep"]),
        f"Ours with 95 % intervals over sentences{_seeds(results['seeds'])}:",
        _ours(results["ours"]),
        "Ours against the best of the sweep at the same typed fraction:",
        _lead(results["lead"]["all"]),
        "On sentences of the paper's length, against the paper's own best (greedy):",
        _paper(results["paper"]),
        "Each scheme against our curve at the same typed fraction, on all sentences:",
        _beaten(results["points"]["all"]),
        "And on those of the paper's length:",
        _beaten(results["points"]["matched"]),
        "Keywords that no learned encoder chose:",
        _robustness(results["robustness"]),
        "Words as people type them, without case marks and punctuation, completed by ours without "
        "a budget (the sentence comes first; is among all that is shown):",
        _perturbed(results["people"]),
        _budget_and_decoding(results),
    ]
    return "\n\n".join(sections)


def _points(ours: Sequence[dict[str, Any]], sweep: Sequence[dict[str, Any]]) -> str:
    rows = [
        [
            point["name"],
            *_percents(point["all"], "typed_fraction", *METRICS),
            *_percents(point["matched"], "typed_fraction", *METRICS),
            "–" if point["training_seconds"] is None else f"{point['training_seconds'] / 60:.0f}",
        ]
        for point in (*sweep, *ours)
    ]
    short = [f"{name}, short" for name in ("typed", *METRICS.values())]
    return markdown_table(["scheme", "typed", *METRICS.values(), *short, "minutes to train"], rows)


def _seeds(count: int) -> str:
    return f", averaged over {count} seeds, and the seeds' range" if count > 1 else ", one seed"


def _ours(points: Sequence[dict[str, Any]]) -> str:
    rows = []
    for point in points:
        row = [f"{point['budget']:g}", f"{point['all']['typed_fraction']:.3f}"]
        for name in METRICS:
            metrics = point["all"]
            seeds = metrics["seeds"][name]
            row += [
                f"{100 * metrics[name]:.1f}",
                _range(metrics["intervals"][name]),
                _range((min(seeds), max(seeds))),
            ]
        rows.append(row)
    heads = [head for title in METRICS.values() for head in (title, "95 %", "seeds")]
    return markdown_table(["budget", "typed", *heads], rows)


def _range(ends: Sequence[float]) -> str:
    return " to ".join(f"{100 * end:.1f}" for end in ends)


def _lead(metrics: dict[str, list[dict[str, Any]]]) -> str:
    rows = [
        [
            METRICS[name],
            f"{row['typed_fraction']:.2f}",
            f"{row['ours']:.1%}",
            f"{row['best']:.1%}",
            row["best_family"],
            _times(row["times"]),
        ]
        for name, lines in metrics.items()
        for row in lines
    ]
    return markdown_table(["metric", "typed", "ours", "best", "whose", "times"], rows)


def _paper(lines: Sequence[dict[str, Any]]) -> str:
    rows = [
        [f"{row['typed_fraction']:.2f}", f"{row['ours']:.1%}", f"{row['best']:.1%}"]
        for row in lines
    ]
    return markdown_table(["typed", "ours", "paper"], rows)


def _beaten(points: dict[str, list[dict[str, Any]]]) -> str:
    lines = []
    for name, rows in points.items():
        known = [row for row in rows if row["is_beaten"] is not None]
        ahead = [row["name"] for row in known if not row["is_beaten"]]
        if not known:
            lines.append(f"- {METRICS[name]}: no scheme lies within our curve's reach")
            continue
        verdict = f"not above {', '.join(ahead)}" if ahead else "above all"
        lines.append(
            f"- {METRICS[name]}: our curve is {verdict}, of {len(known)} schemes within its reach "
            f"({len(rows) - len(known)} beyond)"
        )
    return "\n".join(lines)


def _robustness(results: dict[str, Any]) -> str:
    rows = []
    for name, row in results.items():
        for metric, title in METRICS.items():
            best = row[f"best_{metric}"]
            rows.append(
                [
                    name,
                    f"{row['ours']['typed_fraction']:.2f}",
                    title,
                    f"{row['ours'][metric]:.1%}",
                    _range(row["ours"]["intervals"][metric]),
                    f"{best['value']:.1%}",
                    best["decoder"],
                    _times(best["times"]),
                ]
            )
    heads = ["keywords", "typed", "metric", "ours", "95 %", "best", "whose", "times"]
    return markdown_table(heads, rows)


def _perturbed(results: dict[str, Any]) -> str:
    rows = [
        [name, f"{row['sentences']:,}", f"{row['first']:.1%}", f"{row['shown']:.1%}"]
        for name, row in results.items()
    ]
    return markdown_table(["typed", "sentences", "first", "shown"], rows)


def _budget_and_decoding(results: dict[str, Any]) -> str:
    speed = results["decoding"]
    return (
        f"A budget is kept to within {results['budget_error']:.3f}. "
        f"Decoding takes {speed['ours_milliseconds']:.1f} ms per sentence, the paper's decoder "
        f"({speed['paper_decoder']}) with its {UNITS} units {speed['paper_milliseconds']:.1f}, "
        f"{speed['times_faster']:.2f} times as long; with the units it was trained with "
        f"{speed['as_trained_milliseconds']:.1f}."
    )


def _percents(figures: dict[str, Any], *names: str) -> list[str]:
    return [f"{100 * figures[name]:.1f}" for name in names]


def _times(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def plot(results: dict[str, Any], path: Path) -> None:
    """Draw exact match and top three over the typed fraction, on all sentences and short ones."""
    with png_figure(path, (10, 8)) as figure:
        grid = figure.subplots(2, 2, sharex=True)
        subsets = (("all", "all sentences"), ("matched", "of the paper's length"))
        for row, (subset, title) in zip(grid, subsets, strict=True):
            for axes, metric in zip(row, ("exact_match", "top3"), strict=True):
                for family, points in _curves(results).items():
                    _draw_curve(axes, family, points, subset, metric)
                axes.set_title(f"{METRICS[metric]}, {title} (%)", fontsize=10)
                axes.spines[["top", "right"]].set_visible(False)
        for axes in grid[1]:
            axes.set_xlabel("tokens typed (share)")
        grid[0][0].legend(frameon=False)


def _curves(results: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    curves: dict[str, list[dict[str, Any]]] = {}
    for point in (*results["sweep"], *results["ours"]):
        curves.setdefault(point["family"], []).append(point)
    return curves


def _draw_curve(
    axes: Any, family: str, points: Sequence[dict[str, Any]], subset: str, metric: str
) -> None:
    """Draw a curve; shade the intervals and the range of the seeds of ours."""
    rows = sorted((point[subset] for point in points), key=lambda row: row["typed_fraction"])
    typed = [row["typed_fraction"] for row in rows]
    axes.plot(
        typed,
        [100 * row[metric] for row in rows],
        "-o" if family in ("ours", "constrained") else "--o",
        color=COLORS.get(family, "#999999"),
        markersize=4,
        label=family,
    )
    if family == "ours":
        lows = [100 * min(row["intervals"][metric][0], *row["seeds"][metric]) for row in rows]
        highs = [100 * max(row["intervals"][metric][1], *row["seeds"][metric]) for row in rows]
        axes.fill_between(typed, lows, highs, color=COLORS["ours"], alpha=0.2, linewidth=0)
