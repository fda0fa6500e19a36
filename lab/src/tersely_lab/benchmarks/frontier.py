"""Is one model for all budgets better than the paper's scheme for each? `tersely bench frontier`.

The finished runs of a sweep against a model with a budget, on the same held-out sentences:
exact match and top three over the typed fraction, time to each point, how well a budget is
kept, what becomes of keywords that rules chose, of words that people shuffle or misspell
(people.py), and the time to decode.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tersely.completion.completer import Completer
from tersely.decoding.beam import BeamOptions
from tersely.errors import TerselyError, UsageError
from tersely.evaluation.metrics import (
    length_matched,
    predict,
    summarise,
    summarise_seeds,
)
from tersely.text.tokens import tokenise
from tersely_lab.benchmarks import people
from tersely_lab.benchmarks.frontier_curves import MEASURES, Point, beaten_points, lead
from tersely_lab.benchmarks.inputs import INPUTS
from tersely_lab.benchmarks.paper_sized import UNITS
from tersely_lab.benchmarks.widened import widened
from tersely_lab.reproduction.bootstrap import SUBSETS

BUDGETS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8)
READ_AT = (0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
PAPER_BEST = {0.25: 0.0813, 0.34: 0.1445, 0.50: 0.3831}  # table 2: the best decoder for a point
TIMED_SENTENCES = 200
PEOPLES_SENTENCES = 300
MAX_TOKENS = 16

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class FrontierBench:
    """What is compared, on what."""

    sweep: Path
    models: Sequence[Path]  # one a seed
    sentences: Sequence[str]
    robustness_sentences: int


def measure(bench: FrontierBench, say: Say) -> dict[str, Any]:
    """Measure everything."""
    others = list(finished_runs(bench.sweep))
    if not others:
        raise UsageError(f"{bench.sweep}: no finished run with an evaluation.json.")
    bench = replace(bench, sentences=short_enough(bench.sentences))
    ours = our_points(bench.models, bench.sentences, say)
    return {
        "sentences": ours[0].summary["sentences"],
        "seeds": len(bench.models),
        "ours": [_plain(point) for point in ours],
        "sweep": [_plain(point) for point in others],
        "lead": {
            subset: {
                name: lead(ours, others, at=READ_AT, measure=name, subset=subset)
                for name in MEASURES
            }
            for subset in SUBSETS
        },
        "points": {
            subset: {name: beaten_points(ours, others, name, subset) for name in MEASURES}
            for subset in SUBSETS
        },
        "paper": lead_over_paper(ours),
        "budget_error": max(
            abs(typed - point.budget)
            for point in ours
            if point.budget is not None
            for typed in point.summary["seeds"]["typed_fraction"]
        ),
        "robustness": robustness(bench, [point.name for point in others], say),
        "people": by_people(bench, say),
        "decoding": decoding(bench, others, say),
    }


def short_enough(sentences: Sequence[str]) -> list[str]:
    """Those that the sweep's runs were trained for; there must be some."""
    short = [text for text in sentences if 0 < len(tokenise(text).tokens) <= MAX_TOKENS]
    if not short:
        raise UsageError(f"No sentence of at most {MAX_TOKENS} tokens to measure on.")
    return short


def finished_runs(sweep: Path) -> Iterator[Point]:
    """The points of a sweep; a run that was cut short is none."""
    for folder in sorted(sweep.iterdir()) if sweep.is_dir() else ():
        if not all((folder / name).is_file() for name in ("result.json", "evaluation.json")):
            continue
        try:
            yield _point_of(folder)
        except (ValueError, KeyError, TypeError) as error:
            raise TerselyError(f"{folder}: not the results of a finished run ({error}).") from error


def _point_of(folder: Path) -> Point:
    result, figures, run = (
        json.loads((folder / name).read_text(encoding="utf-8"))
        for name in ("result.json", "evaluation.json", "run.json")
    )
    return Point(
        name=folder.name,
        family=run["config"]["objective"]["kind"],
        summary=figures,
        matched=figures["length_matched"],
        seconds=result["seconds"],
    )


def our_points(paths: Sequence[Path], sentences: Sequence[str], say: Say) -> list[Point]:
    """Our points at all budgets, in the mean over seeds: one model each."""
    completers = [Completer.load(path) for path in paths]
    seconds = [own for path in paths if (own := _training_seconds(path)) is not None]
    found = []
    for budget in BUDGETS:
        seeds = []
        for path, completer in zip(paths, completers, strict=True):
            say(f"{path.name} at {budget}")
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
        found.append(point)
    return found


def _training_seconds(path: Path) -> float | None:
    result = path / "result.json"
    return float(json.loads(result.read_text())["seconds"]) if result.is_file() else None


def lead_over_paper(ours: Sequence[Point]) -> list[dict[str, Any]]:
    """Ours on sentences of the paper's length, beside the paper's own best figures."""
    figures = [
        Point("paper", "paper", {}, {"typed_fraction": typed, "exact_match": exact})
        for typed, exact in PAPER_BEST.items()
    ]
    return lead(ours, figures, at=PAPER_BEST, measure="exact_match", subset="matched")


def robustness(bench: FrontierBench, runs: Sequence[str], say: Say) -> dict[str, Any]:
    """Keywords that no learned encoder chose: every decoder on the same ones, ours in the mean."""
    sentences = bench.sentences[: bench.robustness_sentences]
    decoders = {"ours": bench.models, **{name: [bench.sweep / name] for name in runs}}
    table: dict[str, Any] = {name: {} for name in INPUTS}
    for decoder, paths in decoders.items():
        say(f"keywords of others, decoded by {decoder}")
        seeds = [Completer.load(path) for path in paths]
        for name, choose in INPUTS.items():
            table[name][decoder] = summarise_seeds(
                [predict(completer, sentences, choose=choose) for completer in seeds]
            )
    for row in table.values():
        for measure_name in MEASURES:
            others = {name: row[name][measure_name] for name in runs}
            best = max(others, key=lambda name: others[name])
            times = row["ours"][measure_name] / others[best] if others[best] else None
            row[f"best_{measure_name}"] = {"decoder": best, "value": others[best], "times": times}
    return table


def by_people(bench: FrontierBench, say: Say) -> dict[str, Any]:
    """Words in another order, and misspelt ones, completed by ours."""
    say("shuffled and misspelt words")
    return people.measure(Completer.load(bench.models[0]), bench.sentences[:PEOPLES_SENTENCES])


def decoding(bench: FrontierBench, others: Sequence[Point], say: Say) -> dict[str, Any]:
    """Milliseconds to complete the same keywords, one after another, in turns.

    The one that is used to fewer keywords says more words to each; so the decoder compared is used
    to about as many as there are. It has as many units as the paper's, or as it was trained with.
    """
    say("decoding time")
    ours = Completer.load(bench.models[0])
    asked = predict(ours, bench.sentences[:TIMED_SENTENCES])
    run = nearest(others, typed_fraction=summarise(asked, intervals=False)["typed_fraction"]).name
    paper = Completer.load(bench.sweep / run).model
    models = {
        "ours": ours,
        "paper": Completer(widened(paper, UNITS)),
        "as_trained": Completer(paper),
    }
    seconds = dict.fromkeys(models, 0.0)
    typed = [one.keywords for one in asked]
    for keywords in typed:
        for name, completer in models.items():
            start = time.perf_counter()
            completer.suggest([keywords], BeamOptions())
            seconds[name] += time.perf_counter() - start
    each = {f"{name}_milliseconds": 1e3 * spent / len(typed) for name, spent in seconds.items()}
    return {**each, "paper_decoder": run, "times_faster": seconds["paper"] / seconds["ours"]}


def nearest(points: Sequence[Point], *, typed_fraction: float) -> Point:
    """The point at which about this share is typed."""
    return min(points, key=lambda one: abs(one.summary["typed_fraction"] - typed_fraction))


def _plain(point: Point) -> dict[str, Any]:
    return {
        "name": point.name,
        "family": point.family,
        "budget": point.budget,
        "training_seconds": point.seconds,
        "all": point.summary,
        "matched": point.matched,
    }
