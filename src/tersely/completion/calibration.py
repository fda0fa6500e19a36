"""Calibration: map p(sentence | keywords) to how often such a suggestion is the sentence meant.

People are served without a known budget, so the decoder's probabilities are not calibrated: its
first suggestion is correct more often than p, the others are not. A logistic curve over the
log-odds and the distance to the first suggestion corrects this; evaluation/calibration.py fits it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tersely.errors import TerselyError

MIN_PROBABILITY, MAX_PROBABILITY = 1e-12, 1 - 1e-9  # beyond these, log-odds carry no information
MAX_COEFFICIENT = 100.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """score = σ(slope × logit p + behind × (log p − log p of the first) + offset)."""

    slope: float = 1.0
    behind: float = 0.0
    offset: float = 0.0

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "Calibration":
        """Read the calibration from a model's settings, which are untrusted; identity if absent."""
        table = settings.get("calibration", {})
        is_table = isinstance(table, dict) and set(table) <= {"slope", "behind", "offset"}
        if not is_table or not all(map(_is_coefficient, table.values())):
            raise TerselyError(
                "config.json: calibration must hold slope, behind and offset as numbers between "
                f"-{MAX_COEFFICIENT:g} and {MAX_COEFFICIENT:g}."
            )
        calibration = cls(**{name: float(value) for name, value in table.items()})
        if calibration.slope <= 0 or calibration.behind < 0:
            raise TerselyError(
                "config.json: calibration.slope must be above 0 and calibration.behind at least 0; "
                "otherwise suggestions would change their order."
            )
        return calibration

    def as_settings(self) -> dict[str, float]:
        """Return the coefficients as a model's settings store them."""
        return asdict(self)

    def apply(self, probabilities: Sequence[float]) -> list[float]:
        """Map p of the suggestions for one query, best first, to scores in the same order."""
        if self == Calibration() or not probabilities:
            return list(probabilities)
        first = math.log(_clip(probabilities[0]))
        return [
            self._score(_clip(probability), first) if probability > 0 else 0.0
            for probability in probabilities
        ]

    def _score(self, probability: float, first: float) -> float:
        behind = math.log(probability) - first
        logit = math.log(probability) - math.log1p(-probability)
        return _sigmoid(self.slope * logit + self.behind * behind + self.offset)


def _sigmoid(value: float) -> float:
    exponential = math.exp(-abs(value))  # of a negative number: it cannot overflow
    return (1.0 if value > 0 else exponential) / (1 + exponential)


def _clip(probability: float) -> float:
    return min(max(probability, MIN_PROBABILITY), MAX_PROBABILITY)


def _is_coefficient(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= MAX_COEFFICIENT
