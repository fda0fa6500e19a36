"""A verdict: a claim of the paper, the reading it is held against, and what ours comes to."""

from dataclasses import dataclass
from typing import Literal, get_args

from tersely_lab.reproduction.resampling import Interval

Ruling = Literal["holds", "does not hold", "not comparable"]
RULINGS: tuple[Ruling, ...] = get_args(Ruling)
ON = {"all": "all test sentences", "matched": "sentences of the paper's length"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """One claim under one reading."""

    item: str  # the figure, table or appendix
    claim: str
    paper: str  # their figures
    reading: str
    ours: str
    ruling: Ruling


def ruling(holds: bool | None) -> Ruling:
    """None: it cannot be told."""
    if holds is None:
        return "not comparable"
    return "holds" if holds else "does not hold"


def percent(share: float | None) -> str:
    """A share as text."""
    return "–" if share is None else f"{100 * share:.2f} %"


def points(share: float | None) -> str:
    """A difference of shares as text."""
    return "–" if share is None else f"{100 * share:+.2f} points"


def between(interval: Interval | None) -> str:
    """An interval of shares as text."""
    if interval is None:
        return "no interval"
    low, high = interval
    return f"95 %: {100 * low:+.2f} to {100 * high:+.2f}"


def number(value: float | None) -> str:
    """A plain number as text."""
    return "–" if value is None else f"{value:.2f}"
