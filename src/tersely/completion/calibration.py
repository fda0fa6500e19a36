"""Calibration: from p(x|z) to how often such a suggestion is the sentence meant.

A decoder knows its own language better than the person who types: what it holds likeliest
is right more often than it thinks, and runners-up are not. A logistic curve over the
log-odds and over how far a suggestion lies behind the first, fitted on dev, sets that right.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tersely.errors import TerselyError

LEAST, MOST = 1e-12, 1 - 1e-9  # beyond these, log-odds say nothing any more
LARGEST = 100.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """score = σ(slope × logit p + behind × (log p − log p of the first) + offset)."""

    slope: float = 1.0
    behind: float = 0.0
    offset: float = 0.0

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "Calibration":
        """Read what a model carries, if anything; it may come from a stranger."""
        table = settings.get("calibration", {})
        is_table = isinstance(table, dict) and set(table) <= {"slope", "behind", "offset"}
        if not is_table or not all(map(_is_number, table.values())):
            raise TerselyError("The model's settings hold no calibration that can be used.")
        found = cls(**{name: float(value) for name, value in table.items()})
        if found.slope <= 0 or found.behind < 0:
            raise TerselyError("The model's calibration would put suggestions in another order.")
        return found

    def as_settings(self) -> dict[str, float]:
        """As plain values, for a model's settings."""
        return asdict(self)

    def apply(self, chances: Sequence[float]) -> list[float]:
        """Map p(x|z) of suggestions for the same keywords, best first; their order stays."""
        if self == Calibration() or not chances:
            return list(chances)
        first = math.log(_within(chances[0]))
        return [self._score(_within(one), first) if one > 0 else 0.0 for one in chances]

    def _score(self, chance: float, first: float) -> float:
        behind = math.log(chance) - first
        odds = math.log(chance) - math.log1p(-chance)
        return _sigmoid(self.slope * odds + self.behind * behind + self.offset)


def _sigmoid(value: float) -> float:
    grown = math.exp(-abs(value))  # of a negative number: it cannot overflow
    return (1.0 if value > 0 else grown) / (1 + grown)


def _within(chance: float) -> float:
    return min(max(chance, LEAST), MOST)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= LARGEST
