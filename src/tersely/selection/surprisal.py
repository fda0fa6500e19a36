"""Keyword selection by token value, at any budget.

The value of a token is the surprisal that typing it saves. At a budget a sentence's most valuable
tokens are typed; budget.py determines how many. Case marks are never typed, unless the model was
trained with them.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.errors import TerselyError
from tersely.model.budget_features import DecoderBudget
from tersely.runtime.arrays import Floats
from tersely.runtime.monotone import MonotoneRuntime
from tersely.selection.budget import DROPPED, KEPT, Allocation, BudgetTable, check_budget
from tersely.text.tokens import SHIFT

SURPRISAL = "surprisal"
MIN_VALUE, MAX_VALUE = 0.01, 1e3  # nats


class SurprisalSelector:
    """Selects the tokens of highest value."""

    def __init__(self, runtime: MonotoneRuntime, settings: Mapping[str, Any]) -> None:
        encoder = settings.get("encoder", {})
        if not _is_encoder(encoder):
            raise TerselyError(
                f'config.json: encoder must have kind "{SURPRISAL}", noise in [1e-6, 100], '
                "default_budget in [0, 1] and optionally types_marks, true or false."
            )
        self._runtime = runtime
        self._table = BudgetTable.from_settings(settings)
        self._noise = float(encoder["noise"])
        self._default_budget = float(encoder["default_budget"])
        self._types_shift = encoder.get("types_marks", False)

    def decoder_budget(self, budget: float | None) -> DecoderBudget | None:
        """Return the budget the decoder is conditioned on; None if none is given."""
        if budget is None:
            return None
        allocation = self._allocation(budget)
        return DecoderBudget(allocation.share, on_average=allocation.threshold is not None)

    def probabilities(
        self, sentences: Sequence[Sequence[str]], budget: float | None = None
    ) -> list[list[float]]:
        """Return the probability that each token is kept, under the noise of training."""
        return [
            _keep_probabilities(values, count, self._noise)
            for values, count in self._values_and_counts(sentences, budget)
        ]

    def masks(
        self, sentences: Sequence[Sequence[str]], budget: float | None = None
    ) -> list[list[bool]]:
        """Keep or drop each token; at a budget, that share of them on average."""
        return [
            _top_mask(values, count).tolist()
            for values, count in self._values_and_counts(sentences, budget)
        ]

    def _allocation(self, budget: float | None) -> Allocation:
        return self._table.allocation_for(self._default_budget if budget is None else budget)

    def _values_and_counts(
        self, sentences: Sequence[Sequence[str]], budget: float | None
    ) -> Iterator[tuple[Floats, int]]:
        """Yield the token values of each sentence, and how many tokens are typed."""
        check_budget(budget)
        if not sentences:
            return
        allocation = self._allocation(budget)
        lengths = [len(tokens) for tokens in sentences]
        token_losses = _padded(self._runtime.predict_losses(sentences, allocation.share))
        values = token_losses[..., DROPPED] - token_losses[..., KEPT]
        for row, tokens in zip(values, sentences, strict=True):
            self._fix_special_values(row, tokens)
        counts = allocation.counts(values, token_losses, lengths).tolist()
        for row, length, count in zip(values, lengths, counts, strict=True):
            yield row[:length], count

    def _fix_special_values(self, values: Floats, tokens: Sequence[str]) -> None:
        """Set the value of unknown words, which can only be copied, to ∞; of case marks to −∞."""
        vocabulary = self._runtime.vocabulary
        for index, token in enumerate(tokens):
            if token not in vocabulary:
                values[index] = np.inf
            elif token == SHIFT and not self._types_shift:
                values[index] = -np.inf


def _padded(token_losses: Sequence[Floats]) -> Floats:
    """Pad the losses of sentences, each (tokens, 2), to (rows, time, 2)."""
    padded = np.zeros((len(token_losses), max(map(len, token_losses)), 2), np.float32)
    for index, row in enumerate(token_losses):
        padded[index, : len(row)] = row
    return padded


def _top_mask(values: Floats, count: int) -> npt.NDArray[np.bool_]:
    """Return the mask of the `count` most valuable tokens."""
    keep = np.zeros(len(values), np.bool_)
    keep[np.argsort(-values, kind="stable")[:count]] = True
    return keep & (values > -np.inf)


def _keep_probabilities(values: Floats, count: int, noise: float) -> list[float]:
    """Return P(value × e^(noise × N(0, 1)) > cut) of each token.

    The cut is the geometric mean of the lowest value kept and the highest one dropped.
    """
    if not len(values):
        return []
    keep = _top_mask(values, count)
    bounded = values.astype(np.float64).clip(MIN_VALUE, MAX_VALUE)
    lowest = bounded[keep].min() if keep.any() else 2 * bounded.max()
    highest = bounded[~keep].max() if not keep.all() else bounded.min() / 2
    cut = math.sqrt(lowest * highest)
    return [
        float(is_kept)
        if math.isinf(value)
        else _keep_probability(math.log(bounded_value / cut), noise, is_kept)
        for value, bounded_value, is_kept in zip(values, bounded, keep, strict=True)
    ]


def _keep_probability(distance: float, noise: float, is_kept: bool) -> float:
    probability = 0.5 * (1 + math.erf(distance / (noise * math.sqrt(2))))
    # Of tokens of equal value the first are kept; the probability must agree with the mask.
    return max(probability, 0.5) if is_kept else min(probability, 0.5)


def _is_encoder(encoder: Any) -> bool:
    return (
        isinstance(encoder, dict)
        and encoder.get("kind") == SURPRISAL
        and _is_number(encoder.get("noise"), 1e-6, 100)
        and _is_number(encoder.get("default_budget"), 0, 1)
        and isinstance(encoder.get("types_marks", False), bool)
    )


def _is_number(value: Any, low: float, high: float) -> bool:
    return type(value) in (int, float) and low <= value <= high
