"""What search needs of a model: a decoder state, a step, and the hypotheses it returns."""

from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

from tersely.runtime.arrays import Ids
from tersely.runtime.next_token import NextTokenDistribution


class DecoderState(Protocol):
    """The state of a decoder, one row per hypothesis."""

    def take(self, rows: Ids) -> Self:
        """Select rows: keep, repeat or reorder them."""
        ...


StateT = TypeVar("StateT", bound=DecoderState)


class DecoderStep(Protocol[StateT]):
    """A step of a decoder."""

    def __call__(self, state: StateT, last: Ids) -> tuple[StateT, NextTokenDistribution]:
        """Feed the last tokens (rows,); return the new state and the next token's distribution."""
        ...


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A decoded sentence: its ids without the end mark, and log p(sentence | keywords)."""

    ids: tuple[int, ...]
    log_prob: float
