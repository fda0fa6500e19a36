"""Deadline: when a search must stop, because its time is up or its caller has gone."""

import time
from collections.abc import Callable


class Deadline:
    """A point in time, and optionally a caller that may cancel; stays expired once it is."""

    def __init__(
        self,
        seconds: float | None = None,
        *,
        is_cancelled: Callable[[], bool] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start the clock; without seconds there is no time limit."""
        self._is_cancelled = is_cancelled
        self._clock = clock
        self._end = None if seconds is None else clock() + seconds
        self.was_exceeded = False
        """Whether `expired` has ever returned True."""

    def expired(self) -> bool:
        """Return whether the search must stop now."""
        if not self.was_exceeded:
            is_over = self._end is not None and self._clock() > self._end
            is_cancelled = self._is_cancelled is not None and self._is_cancelled()
            self.was_exceeded = is_over or is_cancelled
        return self.was_exceeded


NO_DEADLINE = Deadline()
"""Never expires."""
