"""Is a score a probability? Of suggestions scored 0.7, seven in ten should be the sentence meant.

Held-out sentences are typed at several budgets, as their encoder would, and completed without
telling the decoder so: that is how a person is served. What comes back is held against the
sentence, suggestion by suggestion.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.completion.calibration import LEAST, MOST, Calibration
from tersely.completion.completer import Completer
from tersely.decoding.beam import Beam
from tersely.errors import UsageError
from tersely.model.folder import ModelFolder
from tersely.text.keywords import keywords
from tersely.text.tokens import tokenise

BUDGETS = (0.3, 0.4, 0.5, 0.6, 0.7)
BATCH = 64
BINS = 10
MAX_TOKENS = 16
PENALTY = 1e-3  # keeps the fit finite where all suggestions are right, or none

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Judged:
    """Suggestions for one set of keywords, best first, and which of them was right."""

    scores: tuple[float, ...]
    right: tuple[bool, ...]


def judge(
    completer: Completer,
    sentences: Sequence[str],
    *,
    budgets: Sequence[float] = BUDGETS,
    progress: Callable[[int], None] = lambda count: None,
) -> list[Judged]:
    """Type every sentence at every budget and judge what comes back."""
    rows = [tokens for text in sentences if len(tokens := tokenise(text).tokens) <= MAX_TOKENS]
    found = []
    for budget in budgets:
        for start in range(0, len(rows), BATCH):
            batch = rows[start : start + BATCH]
            masks = completer.selector.masks(batch, budget)
            typed = [keywords(row, mask) for row, mask in zip(batch, masks, strict=True)]
            for row, own in zip(batch, completer.suggest(typed, Beam()), strict=True):
                right = tuple(one.tokens == tuple(row) for one in own)
                found.append(Judged(tuple(one.score for one in own), right))
            progress(len(batch))
    return found


def uncalibrated(model: ModelFolder) -> ModelFolder:
    """The same model, whose scores are p(x|z)."""
    settings = {name: value for name, value in model.settings.items() if name != "calibration"}
    return replace(model, settings=settings)


def fit(judged: Sequence[Judged]) -> Calibration:
    """Fit the curve by maximum likelihood; suggestions keep their order."""
    features, right = _features(judged)
    if not len(right):
        raise UsageError("There is nothing to calibrate on: no sentence could be judged.")
    slope, behind, offset = _logistic(features, right)
    if behind < 0:
        slope, offset = _logistic(features[:, [0, 2]], right)
        behind = 0.0
    # A model that has learned nothing may lean the other way; order comes first.
    return Calibration(float(max(slope, 1e-3)), float(behind), float(offset))


def _features(judged: Sequence[Judged]) -> tuple[Numbers, Numbers]:
    """Log-odds, how far behind the first, and a constant: (suggestions, 3)."""
    rows, right = [], []
    for one in judged:
        chances = np.clip(one.scores, LEAST, MOST)
        for chance, was_right in zip(chances, one.right, strict=True):
            logit = np.log(chance) - np.log1p(-chance)
            rows.append((logit, np.log(chance) - np.log(chances[0]), 1.0))
            right.append(float(was_right))
    return np.array(rows).reshape(-1, 3), np.array(right)


def _logistic(features: Numbers, right: Numbers, rounds: int = 50) -> Numbers:
    """Newton's method on the logistic loss, with a slight pull towards zero."""
    weights = np.zeros(features.shape[1])
    pull = PENALTY * np.eye(features.shape[1])
    for _ in range(rounds):
        chance = 1 / (1 + np.exp(-np.clip(features @ weights, -30, 30)))
        gradient = features.T @ (chance - right) + pull @ weights
        curvature = (features * (chance * (1 - chance))[:, None]).T @ features + pull
        step = np.linalg.solve(curvature, gradient)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def reliability(judged: Sequence[Judged], *, first_only: bool = False) -> dict[str, Any]:
    """How often suggestions of about one score are right, and how far that is from the score.

    The error is the mean distance over ten equal bins, weighed by how many fall into each.
    """
    count = 1 if first_only else None
    scores = np.array([score for one in judged for score in one.scores[:count]])
    right = np.array([float(was) for one in judged for was in one.right[:count]])
    bins = np.minimum((scores * BINS).astype(int), BINS - 1)
    rows: list[dict[str, float]] = []
    for place in range(BINS):
        here = bins == place
        if here.any():
            rows.append(
                {
                    "suggestions": int(here.sum()),
                    "mean_score": float(scores[here].mean()),
                    "share_right": float(right[here].mean()),
                }
            )
    error = sum(row["suggestions"] * abs(row["mean_score"] - row["share_right"]) for row in rows)
    return {
        "suggestions": len(scores),
        "calibration_error": error / max(1, len(scores)),
        "bins": rows,
    }
