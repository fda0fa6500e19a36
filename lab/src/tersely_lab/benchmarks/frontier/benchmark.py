"""Measurements of `tersely bench frontier`.

The finished runs of a sweep against a model with a budget, on the same held-out sentences: exact
match and top three over the typed fraction (curves.py), training time, the error of the budget,
keywords chosen by rules, shuffled and misspelt words (perturbations.py), and the time to decode.
tables.py prints and plots the results.
"""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tersely.completion.completer import Completer
from tersely.decoding.beam import BeamOptions
from tersely.errors import TerselyError, UsageError
from tersely.evaluation.metrics import length_matched, predict, summarise, summarise_seeds
from tersely_lab.benchmarks.frontier.curves import Point, compare_points, lead
from tersely_lab.benchmarks.frontier.perturbations import measure as measure_perturbations
from tersely_lab.benchmarks.measurement import Log
from tersely_lab.benchmarks.paper_size import UNITS, widen
from tersely_lab.benchmarks.quality import MASK_SELECTORS, METRICS, short_sentences
from tersely_lab.reproduction.bootstrap import SUBSETS

BUDGETS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8)
TYPED_FRACTIONS = (0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
PAPER_BEST = {0.25: 0.0813, 0.34: 0.1445, 0.50: 0.3831}  # table 2: the best decoder for a point
TIMED_SENTENCES = 200
PERTURBED_SENTENCES = 300
RUN_FILES = ("result.json", "evaluation.json", "run.json")


@dataclass(frozen=True, slots=True)
class FrontierBench:
    """Settings of a run."""

    sweep: Path
    models: Sequence[Path]  # one for each seed
    sentences: Sequence[str]
    robustness_sentences: int


def measure(bench: FrontierBench, log: Log) -> dict[str, Any]:
    """Run all measurements."""
    others = list(finished_runs(bench.sweep))
    if not others:
        raise UsageError(f"{bench.sweep}: no finished run with an evaluation.json.")
    bench = replace(bench, sentences=short_sentences(bench.sentences))
    ours = our_points(bench.models, bench.sentences, log)
    return {
        "sentences": ours[0].summary["sentences"],
        "seeds": len(bench.models),
        "ours": [_as_dict(point) for point in ours],
        "sweep": [_as_dict(point) for point in others],
        "lead": {
            subset: {
                metric: lead(ours, others, at=TYPED_FRACTIONS, metric=metric, subset=subset)
                for metric in METRICS
            }
            for subset in SUBSETS
        },
        "points": {
            subset: {metric: compare_points(ours, others, metric, subset) for metric in METRICS}
            for subset in SUBSETS
        },
        "paper": lead_over_paper(ours),
        "budget_error": max(
            abs(typed - point.budget)
            for point in ours
            if point.budget is not None
            for typed in point.summary["seeds"]["typed_fraction"]
        ),
        "robustness": robustness(bench, [point.name for point in others], log),
        "people": _perturbed(bench, log),
        "decoding": decoding_time(bench, others, log),
    }


def finished_runs(sweep: Path) -> Iterator[Point]:
    """Yield a point for each finished and evaluated run of a sweep."""
    for folder in sorted(sweep.iterdir()) if sweep.is_dir() else ():
        if not all((folder / name).is_file() for name in ("result.json", "evaluation.json")):
            continue
        try:
            yield _point_of(folder)
        except (ValueError, KeyError, TypeError) as error:
            raise TerselyError(f"{folder}: not the results of a finished run ({error}).") from error


def _point_of(folder: Path) -> Point:
    result, evaluation, run = (
        json.loads((folder / name).read_text(encoding="utf-8")) for name in RUN_FILES
    )
    return Point(
        name=folder.name,
        family=run["config"]["objective"]["kind"],
        summary=evaluation,
        matched=evaluation["length_matched"],
        seconds=result["seconds"],
    )


def our_points(paths: Sequence[Path], sentences: Sequence[str], log: Log) -> list[Point]:
    """Return our points at all budgets, the mean over seeds: one model each."""
    completers = [Completer.load(path) for path in paths]
    seconds = [duration for path in paths if (duration := _training_seconds(path)) is not None]
    points = []
    for budget in BUDGETS:
        seeds = []
        for path, completer in zip(paths, completers, strict=True):
            log(f"{path.name} at {budget}")
            seeds.append(predict(completer, sentences, budget=budget))
        short = [length_matched(predictions)[1] for predictions in seeds]
        point = Point(
            name=f"ours at {budget:g}",
            family="ours",
            summary=summarise_seeds(seeds),
            matched=summarise_seeds(short),
            seconds=sum(seconds) / len(seconds) if seconds else None,
            budget=budget,
        )
        points.append(point)
    return points


def _training_seconds(path: Path) -> float | None:
    result = path / "result.json"
    return float(json.loads(result.read_text())["seconds"]) if result.is_file() else None


def lead_over_paper(ours: Sequence[Point]) -> list[dict[str, Any]]:
    """Compare ours on sentences of the paper's length with the paper's best figures."""
    paper = [
        Point("paper", "paper", {}, {"typed_fraction": typed, "exact_match": exact})
        for typed, exact in PAPER_BEST.items()
    ]
    return lead(ours, paper, at=PAPER_BEST, metric="exact_match", subset="matched")


def robustness(bench: FrontierBench, runs: Sequence[str], log: Log) -> dict[str, Any]:
    """Decode keywords that no learned encoder chose: the same for all decoders, ours averaged."""
    sentences = bench.sentences[: bench.robustness_sentences]
    decoders = {"ours": bench.models, **{name: [bench.sweep / name] for name in runs}}
    table: dict[str, Any] = {rule: {} for rule in MASK_SELECTORS}
    for decoder, paths in decoders.items():
        log(f"keywords of others, decoded by {decoder}")
        seeds = [Completer.load(path) for path in paths]
        for rule, select_masks in MASK_SELECTORS.items():
            table[rule][decoder] = summarise_seeds(
                [predict(completer, sentences, choose=select_masks) for completer in seeds]
            )
    for row in table.values():
        for metric in METRICS:
            others = {name: row[name][metric] for name in runs}
            best = max(others, key=lambda name: others[name])
            times = row["ours"][metric] / others[best] if others[best] else None
            row[f"best_{metric}"] = {"decoder": best, "value": others[best], "times": times}
    return table


def _perturbed(bench: FrontierBench, log: Log) -> dict[str, Any]:
    log("shuffled and misspelt words")
    sentences = bench.sentences[:PERTURBED_SENTENCES]
    return measure_perturbations(Completer.load(bench.models[0]), sentences)


def decoding_time(bench: FrontierBench, others: Sequence[Point], log: Log) -> dict[str, Any]:
    """Time the completion of the same keywords, one after another, in turns.

    A decoder trained on fewer keywords generates more tokens for each. So the scheme compared is
    the one with the nearest typed fraction, with the paper's units and with its own.
    """
    log("decoding time")
    ours = Completer.load(bench.models[0])
    predictions = predict(ours, bench.sentences[:TIMED_SENTENCES])
    typed_fraction = summarise(predictions, intervals=False)["typed_fraction"]
    run = nearest_point(others, typed_fraction=typed_fraction).name
    paper = Completer.load(bench.sweep / run).model
    models = {
        "ours": ours,
        "paper": Completer(widen(paper, UNITS)),
        "as_trained": Completer(paper),
    }
    seconds = dict.fromkeys(models, 0.0)
    for prediction in predictions:
        for name, completer in models.items():
            start = time.perf_counter()
            completer.beam_decode([prediction.keywords], BeamOptions())
            seconds[name] += time.perf_counter() - start
    milliseconds = {
        f"{name}_milliseconds": 1e3 * duration / len(predictions)
        for name, duration in seconds.items()
    }
    ratio = seconds["paper"] / seconds["ours"]
    return {**milliseconds, "paper_decoder": run, "times_faster": ratio}


def nearest_point(points: Sequence[Point], *, typed_fraction: float) -> Point:
    """Return the point with the nearest typed fraction."""
    return min(points, key=lambda point: abs(point.summary["typed_fraction"] - typed_fraction))


def _as_dict(point: Point) -> dict[str, Any]:
    return {
        "name": point.name,
        "family": point.family,
        "budget": point.budget,
        "training_seconds": point.seconds,
        "all": point.summary,
        "matched": point.matched,
    }
