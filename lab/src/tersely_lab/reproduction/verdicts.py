"""Verdicts: a claim of the paper, the reading it is judged by, and our numbers."""

from dataclasses import dataclass
from typing import Literal, get_args

from tersely_lab.reproduction.bootstrap import Interval
from tersely_lab.reproduction.document import Section

Ruling = Literal["holds", "does not hold", "not comparable"]
RULINGS: tuple[Ruling, ...] = get_args(Ruling)
ON = {"all": "all test sentences", "matched": "sentences of the paper's length"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """One claim under one reading."""

    item: str  # figure, table or appendix of the paper
    claim: str
    paper: str  # the paper's numbers
    reading: str
    ours: str  # our numbers
    ruling: Ruling


@dataclass(frozen=True, slots=True)
class Reproduction:
    """An item of the paper, reproduced: verdicts on its claims, and sections of the page."""

    verdicts: tuple[Verdict, ...] = ()
    sections: tuple[Section, ...] = ()


def ruling(holds: bool | None) -> Ruling:
    """Return the ruling; None means that the data do not allow one."""
    if holds is None:
        return "not comparable"
    return "holds" if holds else "does not hold"


def percent(share: float | None) -> str:
    """Format a share."""
    return "–" if share is None else f"{100 * share:.2f} %"


def points(share: float | None) -> str:
    """Format a difference of shares."""
    return "–" if share is None else f"{100 * share:+.2f} points"


def between(interval: Interval | None) -> str:
    """Format an interval of shares."""
    if interval is None:
        return "no interval"
    low, high = interval
    return f"95 %: {100 * low:+.2f} to {100 * high:+.2f}"


def number(value: float | None) -> str:
    """Format a plain number."""
    return "–" if value is None else f"{value:.2f}"
