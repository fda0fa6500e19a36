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

from tersely.bench.frontier import short_enough
from tersely.bench.frontier_tables import TITLES
from tersely.bench.inputs import INPUTS, chosen_by
from tersely.bench.markdown import table
from tersely.errors import UsageError
from tersely.evaluation.evaluate import Prediction, predict, summarise_seeds
from tersely.evaluation.frontier import MEASURES
from tersely.evaluation.intervals import bootstrap
from tersely.evaluation.outcomes import fingerprint
from tersely.evaluation.runs import Results, Run, read_results
from tersely.model.completer import Completer
from tersely.text.keywords import RuleEncoder, keywords
from tersely.text.tokens import tokenise

HELD_AS = {"exact_match": "exact", "exact_match_served": "served", "top3": "in_top3"}
"""What predictions and outcomes call the measures."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SpecialistsBench:
    """What is compared, on what."""

    sweep: Path  # its folder, or its small results
    models: Sequence[Path]  # one a seed
    sentences: Sequence[str]  # all of the test split: what the sweep was judged on
    limit: int | None  # of those, for ours


def measure(bench: SpecialistsBench, say: Say) -> dict[str, Any]:
    """Ours on each rule's keywords, beside the runs that were trained on that rule."""
    completers = {path: Completer.load(path) for path in bench.models}
    results = read_results(bench.sweep)
    sentences = short_enough(bench.sentences)
    if fingerprint(sentences) != results.runs[0].outcomes.fingerprint:
        raise UsageError(
            f"{bench.sweep}: judged on other sentences than these {len(sentences):,}. "
            "Give the corpus it was trained on, prepared in the same way."
        )
    asked = sentences[: bench.limit]
    rules = {}
    for name, rule in INPUTS.items():
        others = trained_on(rule, results, sentences)
        if not others:
            continue
        seeds = []
        for path, completer in completers.items():
            say(f"{name}, decoded by {path.name}")
            seeds.append(predict(completer, asked, choose=chosen_by(rule)))
        rules[name] = _compare(seeds, others)
    return {"sentences": len(asked), "models": len(bench.models), "rules": rules}


def trained_on(rule: RuleEncoder, results: Results, sentences: Sequence[str]) -> list[Run]:
    """The runs whose keywords were, word for word, those of the rule."""
    tokens = [tokenise(text).tokens for text in sentences]
    masks = chosen_by(rule)(tokens)
    lines = (" ".join(keywords(*pair)) for pair in zip(tokens, masks, strict=True))
    typed = fingerprint(lines)
    return [run for run in results.runs if run.outcomes.keywords_fingerprint == typed]


def _compare(seeds: Sequence[Sequence[Prediction]], others: Sequence[Run]) -> dict[str, Any]:
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
            "interval": bootstrap(np.stack([ours, theirs], axis=1), above=0, below=1)
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
    if not found["rules"]:
        return "The sweep has no run that was trained on keywords of a rule."
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
                    f"{row['ours']['nll_per_token']:.3f}",
                ]
            )
    heads = ["keywords", "typed", "measure", "ours", "best", "whose", "times", "95 %", "our loss"]
    return f"{found['sentences']:,} held-out sentences.\n\n{table(heads, rows)}"
