"""Calibration of scores: of suggestions scored 0.7, seven in ten should be the sentence meant.

Held-out sentences are typed at several budgets, as the encoder would, and completed without giving
the decoder the budget, as people are served. Each suggestion is compared with the sentence.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.completion.calibration import MAX_PROBABILITY, MIN_PROBABILITY, Calibration
from tersely.completion.completer import Completer
from tersely.decoding.beam import BeamOptions
from tersely.errors import UsageError
from tersely.model.folder import ModelFolder
from tersely.selection.budget import MAX_STEP_TOKENS, refine_budget_rows
from tersely.text.keywords import keywords
from tersely.text.tokens import tokenise

BUDGETS = (0.3, 0.4, 0.5, 0.6, 0.7)
BATCH = 64
BINS = 10
MAX_TOKENS = 16
MIN_SLOPE = 1e-3
PENALTY = 1e-3  # keeps the fit finite if all suggestions are correct, or none

Floats = npt.NDArray[np.float64]
Progress = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class CalibrationSample:
    """The suggestions for one set of keywords, best first, and which of them was correct."""

    scores: tuple[float, ...]
    correct: tuple[bool, ...]


def calibrate(
    model: ModelFolder, sentences: Sequence[str], *, progress: Progress = lambda count: None
) -> ModelFolder:
    """Return the model with its scores and its table of budgets fitted to these sentences.

    A table with thresholds (`bar`) keeps its budgets on average already, and stays as it is.
    """
    plain = remove_calibration(model)
    samples = collect_samples(Completer(plain), sentences, progress=progress)
    settings = {**plain.settings, "calibration": fit_calibration(samples).as_settings()}
    table = settings.get("budgets")
    if table and not any("bar" in row for row in table):
        rows = [tokenise(text).tokens for text in sentences]
        short = [tokens for tokens in rows if len(tokens) <= MAX_STEP_TOKENS]
        types_shift = bool(settings.get("encoder", {}).get("types_marks", False))
        settings["budgets"] = refine_budget_rows(table, short, types_shift=types_shift)
    return replace(plain, settings=settings)


def collect_samples(
    completer: Completer,
    sentences: Sequence[str],
    *,
    budgets: Sequence[float] = BUDGETS,
    progress: Progress = lambda count: None,
) -> list[CalibrationSample]:
    """Type every sentence at every budget, and compare the suggestions with it."""
    rows = [tokens for text in sentences if len(tokens := tokenise(text).tokens) <= MAX_TOKENS]
    samples = []
    for budget in budgets:
        for start in range(0, len(rows), BATCH):
            batch = rows[start : start + BATCH]
            masks = completer.selector.masks(batch, budget)
            typed = [keywords(tokens, mask) for tokens, mask in zip(batch, masks, strict=True)]
            candidates = completer.beam_decode(typed, BeamOptions())
            for tokens, suggestions in zip(batch, candidates, strict=True):
                correct = tuple(suggestion.tokens == tuple(tokens) for suggestion in suggestions)
                scores = tuple(suggestion.score for suggestion in suggestions)
                samples.append(CalibrationSample(scores, correct))
            progress(len(batch))
    return samples


def remove_calibration(model: ModelFolder) -> ModelFolder:
    """Return the same model with uncalibrated scores, p(sentence | keywords)."""
    settings = {name: value for name, value in model.settings.items() if name != "calibration"}
    return replace(model, settings=settings)


def fit_calibration(samples: Sequence[CalibrationSample]) -> Calibration:
    """Fit the curve by maximum likelihood; suggestions keep their order."""
    features, correct = _features(samples)
    if not len(correct):
        raise UsageError(
            f"There is nothing to calibrate on: no sentence has at most {MAX_TOKENS} tokens."
        )
    slope, behind, offset = _logistic_regression(features, correct)
    if behind < 0:
        slope, offset = _logistic_regression(features[:, [0, 2]], correct)
        behind = 0.0
    # An untrained model may have a negative slope, which would reverse the order.
    return Calibration(float(max(slope, MIN_SLOPE)), float(behind), float(offset))


def _features(samples: Sequence[CalibrationSample]) -> tuple[Floats, Floats]:
    """Return log-odds, log-distance to the first suggestion, and a constant: (suggestions, 3)."""
    rows, correct = [], []
    for sample in samples:
        probabilities = np.clip(sample.scores, MIN_PROBABILITY, MAX_PROBABILITY)
        for probability, is_correct in zip(probabilities, sample.correct, strict=True):
            logit = np.log(probability) - np.log1p(-probability)
            rows.append((logit, np.log(probability) - np.log(probabilities[0]), 1.0))
            correct.append(float(is_correct))
    return np.array(rows).reshape(-1, 3), np.array(correct)


def _logistic_regression(features: Floats, correct: Floats, max_steps: int = 50) -> Floats:
    """Fit weights by Newton's method on the logistic loss, with a small L2 penalty."""
    weights = np.zeros(features.shape[1])
    penalty = PENALTY * np.eye(features.shape[1])
    for _ in range(max_steps):
        probabilities = 1 / (1 + np.exp(-np.clip(features @ weights, -30, 30)))
        gradient = features.T @ (probabilities - correct) + penalty @ weights
        variances = probabilities * (1 - probabilities)
        hessian = (features * variances[:, None]).T @ features + penalty
        step = np.linalg.solve(hessian, gradient)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def reliability(
    samples: Sequence[CalibrationSample], *, first_only: bool = False
) -> dict[str, Any]:
    """Return how often suggestions are correct, in ten equal bins of their score.

    `calibration_error` is the mean distance of the two, weighted by the suggestions in each bin.
    """
    count = 1 if first_only else None
    scores = np.array([score for sample in samples for score in sample.scores[:count]])
    correct = np.array([float(value) for sample in samples for value in sample.correct[:count]])
    bins = np.minimum((scores * BINS).astype(int), BINS - 1)
    rows: list[dict[str, float]] = []
    for index in range(BINS):
        in_bin = bins == index
        if in_bin.any():
            rows.append(
                {
                    "suggestions": int(in_bin.sum()),
                    "mean_score": float(scores[in_bin].mean()),
                    "share_right": float(correct[in_bin].mean()),
                }
            )
    error = sum(row["suggestions"] * abs(row["mean_score"] - row["share_right"]) for row in rows)
    return {
        "suggestions": len(scores),
        "calibration_error": error / max(1, len(scores)),
        "bins": rows,
    }
