"""`tersely bench specialists`: our one decoder against decoders trained on one keyword rule.

A sweep has decoders trained on the keywords of a single rule. The outcome of each test sentence is
among the sweep's small results, so ours is compared with them sentence by sentence, on the same
keywords, even after their weights are deleted.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.completion.completer import Completer
from tersely.corpus.dataset import PreparedCorpus
from tersely.errors import UsageError
from tersely.evaluation.intervals import bootstrap_interval
from tersely.evaluation.metrics import MaskSelector, Prediction, predict, summarise_seeds
from tersely.evaluation.outcomes import fingerprint
from tersely.text.keywords import keywords
from tersely.text.tokens import tokenise
from tersely_lab.benchmarks.command import (
    check_positive,
    markdown_table,
    print_progress,
    print_results,
)
from tersely_lab.benchmarks.measurement import Log
from tersely_lab.benchmarks.quality import MASK_SELECTORS, METRICS, short_sentences
from tersely_lab.reproduction.runs import Results, Run, read_results

OUTCOME_FIELDS = {"exact_match": "exact", "exact_match_served": "served", "top3": "in_top3"}
"""The fields of predictions and outcomes that the metrics average."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("--sweep", required=True, type=Path, metavar="SWEEP", help="a sweep, or its small results")
    add("--model", required=True, type=Path, action="append", help="ours; again for more seeds")
    add("--data", required=True, type=Path, metavar="DIR", help="the corpus the sweep learned from")
    add("--limit", type=int, metavar="N", help="of the sentences it was judged on, the first N")


def run(args: argparse.Namespace) -> None:
    """Measure and print."""
    check_positive(args, "limit")
    bench = SpecialistsBench(
        sweep=args.sweep,
        models=args.model,
        sentences=[*PreparedCorpus.open(args.data).sentences("test")],
        limit=args.limit,
    )
    print_results(measure(bench, print_progress), render, as_json=args.json)


@dataclass(frozen=True, slots=True)
class SpecialistsBench:
    """Settings of a run."""

    sweep: Path  # its folder, or its small results
    models: Sequence[Path]  # one for each seed
    sentences: Sequence[str]  # the test split of the corpus that the sweep was trained on
    limit: int | None  # of the sentences the sweep was evaluated on, for ours


def measure(bench: SpecialistsBench, log: Log) -> dict[str, Any]:
    """Evaluate ours on the keywords of each rule, beside the runs trained on that rule."""
    completers = [Completer.load(path) for path in bench.models]
    results = read_results(bench.sweep)
    for gap in results.gaps:
        log(f"left out: {gap.name}, {gap.reason}")
    sentences = evaluated_sentences(results, bench.sentences)
    first_sentences = sentences[: bench.limit]
    rules = {}
    for rule, select_masks in MASK_SELECTORS.items():
        specialists = trained_on(select_masks, results, sentences)
        if not specialists:
            continue
        seeds = []
        for path, completer in zip(bench.models, completers, strict=True):
            log(f"{rule}, decoded by {path}")
            seeds.append(predict(completer, first_sentences, choose=select_masks))
        rules[rule] = compare(seeds, specialists)
    return {
        "sentences": len(first_sentences),
        "models": len(bench.models),
        "rules": rules,
        "without_specialist": [rule for rule in MASK_SELECTORS if rule not in rules],
        "gaps": {gap.name: gap.reason for gap in results.gaps},
    }


def evaluated_sentences(results: Results, sentences: Sequence[str]) -> list[str]:
    """Return the sentences that a sweep was evaluated on: the first short ones, as many as it has.

    Raise UsageError if their fingerprint is not the sweep's.
    """
    outcomes = results.runs[0].outcomes
    evaluated = short_sentences(sentences)[: len(outcomes)]
    if fingerprint(evaluated) != outcomes.fingerprint:
        raise UsageError(
            f"{results.folder}: evaluated on other sentences than these {len(evaluated):,}. "
            "Give the corpus it was trained on, prepared in the same way."
        )
    return evaluated


def trained_on(select_masks: MaskSelector, results: Results, sentences: Sequence[str]) -> list[Run]:
    """Return the runs whose keywords are exactly those that the rule selects."""
    tokens = [tokenise(text).tokens for text in sentences]
    lines = (" ".join(keywords(*pair)) for pair in zip(tokens, select_masks(tokens), strict=True))
    keywords_fingerprint = fingerprint(lines)
    return [
        run for run in results.runs if run.outcomes.keywords_fingerprint == keywords_fingerprint
    ]


def compare(seeds: Sequence[Sequence[Prediction]], specialists: Sequence[Run]) -> dict[str, Any]:
    """Return the metrics of ours, and their ratio to the best specialist by each metric."""
    count = len(seeds[0])
    comparison: dict[str, Any] = {
        "ours": summarise_seeds(seeds),
        "specialists": {
            run.name: {metric: float(_hits(run, metric, count).mean()) for metric in METRICS}
            for run in specialists
        },
    }
    for metric in METRICS:
        best = max(specialists, key=lambda run: float(_hits(run, metric, count).mean()))
        theirs = _hits(best, metric, count)
        field = OUTCOME_FIELDS[metric]
        by_seed = [[getattr(prediction, field) for prediction in seed] for seed in seeds]
        ours = np.array(by_seed).mean(axis=0)
        ratio = interval = None
        if theirs.any():
            ratio = float(ours.sum() / theirs.sum())
            interval = bootstrap_interval(np.stack([ours, theirs], axis=1), above=0, below=1)
        comparison[metric] = {
            "ours": float(ours.mean()),
            "best": float(theirs.mean()),
            "specialist": best.name,
            "times": ratio,
            "interval": interval,
        }
    return comparison


def _hits(run: Run, metric: str, count: int) -> npt.NDArray[np.float64]:
    """Return 1 for each of the first sentences that was decoded correctly, otherwise 0."""
    hits: npt.NDArray[np.bool_] = getattr(run.outcomes, OUTCOME_FIELDS[metric])
    return hits[:count].astype(np.float64)


def render(results: dict[str, Any]) -> str:
    """Lay out all results as Markdown."""
    rows = []
    for rule, row in results["rules"].items():
        for metric, title in METRICS.items():
            comparison = row[metric]
            ratio, interval = comparison["times"], comparison["interval"]
            rows.append(
                [
                    rule,
                    f"{row['ours']['typed_fraction']:.2f}",
                    title,
                    f"{comparison['ours']:.1%}",
                    f"{comparison['best']:.1%}",
                    comparison["specialist"],
                    "–" if ratio is None else f"{ratio:.2f}",
                    "–" if interval is None else "{:.2f} to {:.2f}".format(*interval),
                ]
            )
    heads = ["keywords", "typed", "metric", "ours", "best", "whose", "times", "95 % of times"]
    losses = ", ".join(
        f"{row['ours']['nll_per_token']:.3f} for {rule}" for rule, row in results["rules"].items()
    )
    without = ", ".join(results["without_specialist"])
    sections = [
        f"{results['sentences']:,} held-out sentences; ours averaged over {results['models']} "
        "model(s), the best specialist chosen for each metric on these very sentences.",
        markdown_table(heads, rows) if rows else "",
        f"Our loss, nats per token: {losses}." if rows else "",
        f"No run of the sweep was trained on {without}." if without else "",
    ]
    return "\n\n".join(section for section in sections if section)
