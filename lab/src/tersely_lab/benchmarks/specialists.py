"""How close is one decoder to those that know the rule? `tersely bench specialists`.

The sweep has decoders that were trained on keywords of one rule and nothing else. What became
of each test sentence is among its small results, so ours can be held against them
sentence by sentence, on the same keywords, after their weights are gone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.completion.completer import Completer
from tersely.errors import UsageError
from tersely.evaluation.intervals import bootstrap_interval
from tersely.evaluation.metrics import MaskSelector, Prediction, predict, summarise_seeds
from tersely.evaluation.outcomes import fingerprint
from tersely.text.keywords import keywords
from tersely.text.tokens import tokenise
from tersely_lab.benchmarks.frontier import short_enough
from tersely_lab.benchmarks.frontier_curves import MEASURES
from tersely_lab.benchmarks.frontier_tables import TITLES
from tersely_lab.benchmarks.inputs import INPUTS
from tersely_lab.benchmarks.markdown import table
from tersely_lab.reproduction.runs import Results, Run, read_results

HELD_AS = {"exact_match": "exact", "exact_match_served": "served", "top3": "in_top3"}
"""What predictions and outcomes call the measures."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SpecialistsBench:
    """What is compared, on what."""

    sweep: Path  # its folder, or its small results
    models: Sequence[Path]  # one a seed
    sentences: Sequence[str]  # the test split of the corpus that the sweep was trained on
    limit: int | None  # of those it was judged on, for ours


def measure(bench: SpecialistsBench, say: Say) -> dict[str, Any]:
    """Ours on each rule's keywords, beside the runs that were trained on that rule."""
    completers = [Completer.load(path) for path in bench.models]
    results = read_results(bench.sweep)
    for gap in results.gaps:
        say(f"left out: {gap.name}, {gap.reason}")
    sentences = judged_on(results, bench.sentences)
    asked = sentences[: bench.limit]
    rules = {}
    for name, choose in INPUTS.items():
        others = trained_on(choose, results, sentences)
        if not others:
            continue
        seeds = []
        for path, completer in zip(bench.models, completers, strict=True):
            say(f"{name}, decoded by {path}")
            seeds.append(predict(completer, asked, choose=choose))
        rules[name] = compare(seeds, others)
    return {
        "sentences": len(asked),
        "models": len(bench.models),
        "rules": rules,
        "without_specialist": [name for name in INPUTS if name not in rules],
        "gaps": {gap.name: gap.reason for gap in results.gaps},
    }


def judged_on(results: Results, sentences: Sequence[str]) -> list[str]:
    """The sentences that a sweep was judged on: the first of these, or all that are short."""
    outcomes = results.runs[0].outcomes
    found = short_enough(sentences)[: len(outcomes)]
    if fingerprint(found) != outcomes.fingerprint:
        raise UsageError(
            f"{results.folder}: judged on other sentences than these {len(found):,}. "
            "Give the corpus it was trained on, prepared in the same way."
        )
    return found


def trained_on(choose: MaskSelector, results: Results, sentences: Sequence[str]) -> list[Run]:
    """The runs whose keywords were, word for word, those that are chosen so."""
    tokens = [tokenise(text).tokens for text in sentences]
    lines = (" ".join(keywords(*pair)) for pair in zip(tokens, choose(tokens), strict=True))
    typed = fingerprint(lines)
    return [run for run in results.runs if run.outcomes.keywords_fingerprint == typed]


def compare(seeds: Sequence[Sequence[Prediction]], others: Sequence[Run]) -> dict[str, Any]:
    """Figures of ours, and by each measure how many times those of the best of the others."""
    count = len(seeds[0])
    found: dict[str, Any] = {
        "ours": summarise_seeds(seeds),
        "specialists": {
            run.name: {name: float(_shares(run, name, count).mean()) for name in MEASURES}
            for run in others
        },
    }
    for name in MEASURES:
        best = max(others, key=lambda run: float(_shares(run, name, count).mean()))
        theirs = _shares(best, name, count)
        ours = np.array([[getattr(one, HELD_AS[name]) for one in own] for own in seeds]).mean(
            axis=0
        )
        found[name] = {
            "ours": float(ours.mean()),
            "best": float(theirs.mean()),
            "specialist": best.name,
            "times": float(ours.sum() / theirs.sum()) if theirs.any() else None,
            "interval": bootstrap_interval(np.stack([ours, theirs], axis=1), above=0, below=1)
            if theirs.any()
            else None,
        }
    return found


def _shares(run: Run, measure_name: str, count: int) -> npt.NDArray[np.float64]:
    """1 for each of the first sentences that came back, 0 for the others."""
    bits: npt.NDArray[np.bool_] = getattr(run.outcomes, HELD_AS[measure_name])
    return bits[:count].astype(np.float64)


def render(found: dict[str, Any]) -> str:
    """Show all figures as Markdown."""
    rows = []
    for name, row in found["rules"].items():
        for measure_name, title in TITLES.items():
            own = row[measure_name]
            rows.append(
                [
                    name,
                    f"{row['ours']['typed_fraction']:.2f}",
                    title,
                    f"{own['ours']:.1%}",
                    f"{own['best']:.1%}",
                    own["specialist"],
                    "–" if own["times"] is None else f"{own['times']:.2f}",
                    "–" if own["interval"] is None else "{:.2f} to {:.2f}".format(*own["interval"]),
                ]
            )
    heads = ["keywords", "typed", "measure", "ours", "best", "whose", "times", "95 % of times"]
    losses = ", ".join(
        f"{row['ours']['nll_per_token']:.3f} for {name}" for name, row in found["rules"].items()
    )
    sections = [
        f"{found['sentences']:,} held-out sentences; ours in the mean over {found['models']} "
        "model(s), the best specialist chosen for each measure on these very sentences.",
        table(heads, rows) if rows else "",
        f"Our loss, nats a token: {losses}." if rows else "",
        _without(found["without_specialist"]),
    ]
    return "\n\n".join(section for section in sections if section)


def _without(names: Sequence[str]) -> str:
    return f"No run of the sweep was trained on {', '.join(names)}." if names else ""
