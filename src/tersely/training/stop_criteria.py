"""When a run stops: dev metrics have gone flat, a signal arrived, or its time is up."""

import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Any, Self

from tersely.training.config import TrainingConfig

LAMBDA = "weight_tokens_per_nat"
MAX_LAMBDA_CHANGE, MIN_LAMBDA = 0.2, 0.1  # λ changes with every batch, so it never becomes constant


@dataclass(frozen=True, slots=True)
class EarlyStopping:
    """Detects that dev metrics have stopped changing."""

    window_steps: int
    loss_nats: float
    kept_share: float

    @classmethod
    def from_config(cls, config: TrainingConfig) -> "EarlyStopping":
        """Read the window and the tolerances."""
        return cls(config.flat_steps, config.flat_loss_nats, config.flat_kept_share)

    def is_flat(self, history: Sequence[dict[str, Any]]) -> bool:
        """Return whether the means of the last window's two halves are nearly equal.

        λ counts too: as long as it changes, loss and kept fraction will change again.
        """
        if not history or history[-1]["step"] - history[0]["step"] < self.window_steps:
            return False
        end = history[-1]["step"]
        middle, start = end - self.window_steps / 2, end - self.window_steps
        late = [row for row in history if row["step"] > middle]
        early = [row for row in history if start < row["step"] <= middle]
        if not late or not early:
            return False
        limits = {"loss_nats_a_token": self.loss_nats, "kept_fraction": self.kept_share}
        if LAMBDA in history[-1]:
            if not all(LAMBDA in row for row in (*late, *early)):
                return False  # rows of an older version do not have λ
            limits[LAMBDA] = MAX_LAMBDA_CHANGE * max(_mean(late, LAMBDA), MIN_LAMBDA)
        # The halves are half a window apart, so the change over a window is twice as large.
        return all(
            2 * abs(_mean(late, key) - _mean(early, key)) < limit for key, limit in limits.items()
        )


def _mean(rows: Sequence[dict[str, Any]], key: str) -> float:
    return float(sum(row[key] for row in rows) / len(rows))


class StopRequest:
    """Catches SIGINT and SIGTERM, and watches a time limit; the loop checks it between steps."""

    def __init__(self, *, minutes: float | None) -> None:
        self._deadline = None if minutes is None else time.monotonic() + 60 * minutes
        self._previous_handlers: dict[signal.Signals, Any] = {}
        self._is_signalled = False

    def __enter__(self) -> Self:
        for kind in (signal.SIGINT, signal.SIGTERM):
            self._previous_handlers[kind] = signal.signal(kind, self._handle_signal)
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        for kind, handler in self._previous_handlers.items():
            signal.signal(kind, handler)

    @property
    def is_requested(self) -> bool:
        """Whether a signal arrived or the time is up."""
        is_late = self._deadline is not None and time.monotonic() >= self._deadline
        return self._is_signalled or is_late

    def _handle_signal(self, _signal: int, _frame: FrameType | None) -> None:
        self._is_signalled = True
