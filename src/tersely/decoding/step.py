"""Stepping: what search needs of a model, and what it finds. Knows neither weights nor words."""

from dataclasses import dataclass
from typing import Protocol, TypeVar

from tersely.runtime.arrays import Ids
from tersely.runtime.next_token import NextWords


class Steppable(Protocol):
    """A state of decoding whose rows can be taken."""

    def take(self, rows: Ids) -> "Steppable":
        """Keep, repeat or reorder rows."""
        ...


StateT = TypeVar("StateT", bound=Steppable)


class Step(Protocol[StateT]):
    """Says the last words, tells what comes next."""

    def __call__(self, state: StateT, last: Ids) -> tuple[StateT, NextWords]:
        """Map last (rows,) to how likely each next word is."""
        ...


@dataclass(frozen=True, slots=True)
class Found:
    """A sentence found: its ids without the end mark, and log p(x|z)."""

    ids: tuple[int, ...]
    log_probability: float


def take(state: StateT, rows: Ids) -> StateT:
    """Take rows of a state, which stays of its kind."""
    return state.take(rows)  # type: ignore[return-value]
