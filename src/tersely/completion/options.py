"""Wishes: what a person may ask for beside the keywords."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Literal

from tersely.completion.query import Typed
from tersely.errors import UsageError
from tersely.text.tokens import SHIFT, tokenise

Order = Literal["typed", "free"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """How keywords are to be completed; see Completer.complete."""

    prefix: bool = False
    order: Order = "typed"
    including: Sequence[str] = ()
    without: Sequence[str] = ()
    context: str = ""
    corrections: bool = False
    deadline: float | None = None

    def __post_init__(self) -> None:
        if self.order not in ("typed", "free"):
            raise UsageError(f'The order of keywords is "typed" or "free", not {self.order!r}.')
        if self.deadline is not None and not self.deadline > 0:
            raise UsageError(f"A deadline is a number of seconds above 0, not {self.deadline}.")
        for name in ("including", "without"):
            if isinstance(getattr(self, name), str):
                raise UsageError(f'{name}= takes a list of words, as in {name}=["late"].')
        unwanted = self.unwanted
        for words in self.required:
            _refuse_both(unwanted, words)

    @property
    def unwanted(self) -> frozenset[str]:
        """The words that must not appear, capitals or not, in lower case."""
        found = (token.lower() for word in self.without for token in tokenise(word).tokens)
        return frozenset(token for token in found if token != SHIFT)

    @property
    def required(self) -> list[tuple[str, ...]]:
        """The words, or phrases, that must appear anywhere."""
        found = (tuple(tokenise(word).tokens) for word in self.including)
        return [tokens for tokens in found if tokens]

    @property
    def moves(self) -> bool:
        """Whether words may stand elsewhere than typed, or were not typed at all."""
        return self.order == "free" or bool(self.required)

    def check(self, typed: Typed) -> None:
        """Nobody types a word and forbids it."""
        _refuse_both(self.unwanted, typed.tokens)

    def clock(self) -> Callable[[], bool]:
        """Start the time; what is returned tells whether it is up."""
        end = math.inf if self.deadline is None else monotonic() + self.deadline
        return lambda: monotonic() > end


def _refuse_both(unwanted: frozenset[str], wanted: Sequence[str]) -> None:
    both = sorted(unwanted.intersection(word.lower() for word in wanted))
    if both:
        raise UsageError(f'"{both[0]}" is asked for, and must not appear. Leave one of them out.')
