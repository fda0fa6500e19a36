"""Hurrying: a decode ends when its time is up, with the best so far, or when nobody waits."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from tersely.completion.options import Wishes

SHARE_OF_DEADLINE = 0.75
"""Of a request's time, for the decode; the rest is for waiting and for the answer's way."""


class Hurry:
    """Tells a decode when to end, and afterwards whether it had to."""

    def __init__(
        self,
        seconds: float,
        is_wanted: Callable[[], bool],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._is_wanted = is_wanted
        self._clock = clock
        self._end = clock() + seconds
        self.has_cut = False

    def is_late(self) -> bool:
        """Whether to end now."""
        self.has_cut = self.has_cut or self._clock() > self._end or not self._is_wanted()
        return self.has_cut


@dataclass(frozen=True, slots=True, kw_only=True)
class HurriedWishes(Wishes):
    """Wishes whose time is told from outside."""

    hurry: Hurry

    def clock(self) -> Callable[[], bool]:
        """The time, which runs already."""
        return self.hurry.is_late
