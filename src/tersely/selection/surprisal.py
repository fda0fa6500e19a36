"""Choosing keywords by what they are worth, at any budget.

At a budget a sentence's most worthy tokens are typed, as many as spending.py says. Which budget
gives which mean share of typed tokens was measured on dev when the model was written:
tokens are whole, and unless the model was trained to, case marks are never typed.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tersely.errors import TerselyError
from tersely.model.budget_features import DecoderBudget
from tersely.runtime.lstm import Floats
from tersely.runtime.monotone import MonotoneRuntime
from tersely.selection.budget import DROPPED, KEPT, Spending
from tersely.selection.budget_table import Budgets
from tersely.selection.keep_probability import check_budget
from tersely.text.tokens import SHIFT

SURPRISAL = "surprisal"
LEAST_WORTH, MOST_WORTH = 0.01, 1e3  # nats


class SurprisalSelector:
    """Types what is worth most."""

    def __init__(self, runtime: MonotoneRuntime, settings: Mapping[str, Any]) -> None:
        encoder = settings.get("encoder", {})
        if not _names_a_way(encoder):
            raise TerselyError("The model's settings name no way to choose keywords.")
        self._runtime = runtime
        self._budgets = Budgets.from_settings(settings)
        self._noise = float(encoder["noise"])
        self._default = float(encoder["default_budget"])
        self._types_marks = encoder.get("types_marks", False)

    def decoder_budget(self, budget: float | None) -> DecoderBudget | None:
        """Return the budget the decoder is conditioned on; None where none is given."""
        if budget is None:
            return None
        spending = self._spending(budget)
        return DecoderBudget(spending.share, is_even=spending.bar is None)

    def probabilities(
        self, sentences: Sequence[Sequence[str]], budget: float | None = None
    ) -> list[list[float]]:
        """How likely each token is worth more than the last one typed, with training's noise."""
        return [
            _chances(worth, count, self._noise) for worth, count in self._choose(sentences, budget)
        ]

    def masks(
        self, sentences: Sequence[Sequence[str]], budget: float | None = None
    ) -> list[list[bool]]:
        """Keep or drop each token; at a budget, that share of them in the mean."""
        return [
            _most_worthy(worth, count).tolist() for worth, count in self._choose(sentences, budget)
        ]

    def _spending(self, budget: float | None) -> Spending:
        return self._budgets.spending_for(self._default if budget is None else budget)

    def _choose(
        self, sentences: Sequence[Sequence[str]], budget: float | None
    ) -> Iterator[tuple[Floats, int]]:
        """What the tokens of each sentence are worth, and how many of them are typed."""
        check_budget(budget)
        if not sentences:
            return
        spending = self._spending(budget)
        lengths = [len(tokens) for tokens in sentences]
        costs = _padded(self._runtime.costs(sentences, spending.share))
        worth = costs[..., DROPPED] - costs[..., KEPT]
        for row, tokens in zip(worth, sentences, strict=True):
            self._except(row, tokens)
        counts = spending.counts(worth, costs, lengths).tolist()
        for row, length, count in zip(worth, lengths, counts, strict=True):
            yield row[:length], count

    def _except(self, worth: Floats, tokens: Sequence[str]) -> None:
        """A word that can only be copied saves everything; a case mark, unless typed, nothing."""
        known = self._runtime.vocabulary
        for place, token in enumerate(tokens):
            if token not in known:
                worth[place] = np.inf
            elif token == SHIFT and not self._types_marks:
                worth[place] = -np.inf


def _padded(rows: Sequence[Floats]) -> Floats:
    """Costs of sentences of any lengths, each (tokens, 2), as (rows, time, 2)."""
    found = np.zeros((len(rows), max(map(len, rows)), 2), np.float32)
    for place, row in enumerate(rows):
        found[place, : len(row)] = row
    return found


def _most_worthy(worth: Floats, count: int) -> Any:
    """The mask of the tokens to type."""
    keep = np.zeros(len(worth), bool)
    keep[np.argsort(-worth, kind="stable")[:count]] = True
    return keep & (worth > -np.inf)


def _chances(worth: Floats, count: int, noise: float) -> list[float]:
    """P(worth × e^(noise × N(0, 1)) > cut), the cut between the last kept and the first dropped."""
    if not len(worth):
        return []
    keep = _most_worthy(worth, count)
    bounded = worth.astype(np.float64).clip(LEAST_WORTH, MOST_WORTH)
    lowest = bounded[keep].min() if keep.any() else 2 * bounded.max()
    highest = bounded[~keep].max() if not keep.all() else bounded.min() / 2
    cut = math.sqrt(lowest * highest)
    return [
        float(kept) if math.isinf(value) else _chance(math.log(within / cut), noise, kept)
        for value, within, kept in zip(worth, bounded, keep, strict=True)
    ]


def _chance(distance: float, noise: float, kept: bool) -> float:
    chance = 0.5 * (1 + math.erf(distance / (noise * math.sqrt(2))))
    return max(chance, 0.5) if kept else min(chance, 0.5)  # equal worths are told apart by place


def _names_a_way(encoder: Any) -> bool:
    return (
        isinstance(encoder, dict)
        and encoder.get("kind") == SURPRISAL
        and _is_number(encoder.get("noise"), 1e-6, 100)
        and _is_number(encoder.get("default_budget"), 0, 1)
        and isinstance(encoder.get("types_marks", False), bool)
    )


def _is_number(value: Any, low: float, high: float) -> bool:
    return type(value) in (int, float) and low <= value <= high
