"""Budgets: which one makes a user type which share of the tokens.

Tokens are whole, sentences short and case marks seldom typed, so what is typed rises in steps:
a sentence of n tokens gets one keyword more wherever b × n passes a half. Held-out sentences
tell how high each step is; a model carries that table. Where words are spent freely, its rows
hold the bars that make the budget what is typed in the mean.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from tersely.errors import TerselyError
from tersely.model.budget_features import keywords_at
from tersely.selection.budget import SHARPNESS, Spending
from tersely.text.tokens import SHIFT

LEAST, GREATEST = 0.05, 0.9  # what models are trained for
LONGEST = 16  # tokens; steps of longer sentences are too small to matter
NEAR = 0.005


@dataclass(frozen=True, slots=True)
class Budgets:
    """Budgets, rising, and the share of held-out tokens that each makes a user type."""

    budgets: tuple[float, ...]
    typed: tuple[float, ...]
    bars: tuple[float | None, ...] = ()
    sharpness: float = SHARPNESS

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "Budgets":
        """Read the table a model carries; it may come from a stranger."""
        rows = settings.get("budgets")
        if not isinstance(rows, list) or len(rows) < 2 or not all(map(_is_row, rows)):
            raise TerselyError("The model's settings hold no table of budgets.")
        found = cls(
            tuple(float(row["budget"]) for row in rows),
            tuple(float(row["typed_fraction"]) for row in rows),
            tuple(row.get("bar") for row in rows),
            _sharpness(settings.get("encoder")),
        )
        if list(found.budgets) != sorted(set(found.budgets)):
            raise TerselyError("The model's table of budgets does not rise.")
        return found

    def spending_for(self, typed: float) -> Spending:
        """How this share is spent: freely, by the row that types it most nearly, or evenly."""
        nearest = int(np.abs(np.asarray(self.typed) - typed).argmin())
        bar = self.bars[nearest] if self.bars else None
        if bar is None:
            return Spending(self.budget_for(typed))
        return Spending(self.budgets[nearest], bar, self.sharpness)

    def budget_for(self, typed: float) -> float:
        """The budget at which this share is typed; the nearest there is beyond the ends."""
        rising = np.maximum.accumulate(self.typed)  # noise on dev is smoothed away
        nearest = int(np.abs(rising - typed).argmin())
        if abs(rising[nearest] - typed) < NEAR:
            return self.budgets[nearest]
        return float(np.interp(typed, rising, self.budgets))


def with_steps(
    rows: Iterable[Mapping[str, float]],
    sentences: Sequence[Sequence[str]],
    *,
    types_marks: bool = False,
) -> list[dict[str, float]]:
    """Add a row for every step to a table, and count all of them on these sentences."""
    marks = [0 if types_marks else list(tokens).count(SHIFT) for tokens in sentences]
    lengths = [
        (len(tokens), len(tokens) - own) for tokens, own in zip(sentences, marks, strict=True)
    ]
    known = {float(row["budget"]): dict(row) for row in rows}
    every = sorted({*known, *(round(budget, 6) for budget in _between_steps())})
    return [
        {
            "budget": budget,
            **known.get(budget, {}),
            "typed_fraction": _typed_share(budget, lengths),
        }
        for budget in every
    ]


def _between_steps() -> list[float]:
    """One budget between any two at which a sentence gets one keyword more."""
    steps = {
        (count - 0.5) / tokens
        for tokens in range(1, LONGEST + 1)
        for count in range(1, tokens + 1)
        if LEAST <= (count - 0.5) / tokens <= GREATEST
    }
    return [(low + high) / 2 for low, high in pairwise(sorted(steps))]


def _typed_share(budget: float, lengths: Sequence[tuple[int, int]]) -> float:
    """Of all tokens; of each sentence as many as the budget says, if so many can be typed."""
    typed = sum(min(keywords_at(budget, tokens), can) for tokens, can in lengths)
    return typed / max(1, sum(tokens for tokens, _ in lengths))


def _sharpness(encoder: Any) -> float:
    given = encoder.get("sharpness", SHARPNESS) if isinstance(encoder, Mapping) else SHARPNESS
    if type(given) not in (int, float) or not 0 < given <= 100:
        raise TerselyError("The model's settings hold no table of budgets: sharpness is above 0.")
    return float(given)


def _is_row(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and _is_share(row.get("budget"), least=1e-6)
        and _is_share(row.get("typed_fraction"))
        and (row.get("bar") is None or _is_share(row["bar"]))
    )


def _is_share(value: Any, least: float = 0.0) -> bool:
    return type(value) in (int, float) and least <= value <= 1
