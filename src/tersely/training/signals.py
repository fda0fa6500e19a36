"""Stopping: a wish to stop is heard at once and granted between two steps."""

import signal
import time
from types import FrameType, TracebackType
from typing import Any, Self


class StopRequest:
    """Listens for Ctrl-C and SIGTERM, and watches the clock."""

    def __init__(self, *, minutes: float | None) -> None:
        self._deadline = None if minutes is None else time.monotonic() + 60 * minutes
        self._handlers: dict[signal.Signals, Any] = {}
        self.signalled = False

    def __enter__(self) -> Self:
        for kind in (signal.SIGINT, signal.SIGTERM):
            self._handlers[kind] = signal.signal(kind, self._hear)
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        for kind, handler in self._handlers.items():
            signal.signal(kind, handler)

    @property
    def made(self) -> bool:
        """Whether it is time to stop."""
        late = self._deadline is not None and time.monotonic() >= self._deadline
        return self.signalled or late

    def _hear(self, _signal: int, _frame: FrameType | None) -> None:
        self.signalled = True
