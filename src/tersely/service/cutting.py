"""Cutting: a decode that nobody waits for any more stops at its next step.

A thread cannot be ended from outside, but every search asks its runtime for the next
words again and again; the runtime in between says no.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tersely.model.architectures import DecoderRuntime
from tersely.model.next_words import NextWords
from tersely.model.rows import Ids
from tersely.text.vocab import Vocabulary


class DecodeCutError(Exception):
    """The decode was given up."""


class CuttableRuntime:
    """A runtime that steps only while someone waits. For one thread."""

    def __init__(self, runtime: DecoderRuntime) -> None:
        self._runtime = runtime
        self._is_wanted: Callable[[], bool] = lambda: True

    @property
    def vocabulary(self) -> Vocabulary:
        """The words it knows."""
        return self._runtime.vocabulary

    def begin(self, keywords: Sequence[Sequence[str]], budget: float | None = None) -> Any:
        """Read the keywords."""
        return self._runtime.begin(keywords, budget)

    def step(self, state: Any, last: Ids) -> tuple[Any, NextWords]:
        """Tell what comes next, or give up."""
        if not self._is_wanted():
            raise DecodeCutError
        return self._runtime.step(state, last)

    @contextmanager
    def while_wanted(self, is_wanted: Callable[[], bool]) -> Iterator[None]:
        """Within, decode only as long as this is so."""
        self._is_wanted = is_wanted
        try:
            yield
        finally:
            self._is_wanted = lambda: True
