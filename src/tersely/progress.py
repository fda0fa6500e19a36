"""Progress on standard error: a bar on a terminal, otherwise one line every 30 seconds.

A log file or pipe gets few lines instead of thousands of redrawn bars. The bar needs tqdm;
without it, a terminal gets the lines as well.
"""

import sys
import time
from collections.abc import Mapping
from typing import Any

SECONDS_BETWEEN_LINES = 30.0


class ProgressBar:
    """Shows how much of a task is done."""

    def __init__(
        self,
        total: int | None = None,
        *,
        unit: str,
        description: str = "",
        seconds_between_lines: float = SECONDS_BETWEEN_LINES,
    ) -> None:
        """Start at 0 of `total` units, None if unknown; the unit "B" is shown as KiB, MiB, …."""
        self._total = total
        self._unit = unit
        self._description = description
        self._metrics: Mapping[str, str] = {}
        self._position = self._first_position = 0
        self._seconds_between_lines = seconds_between_lines
        self._started = self._last_line = time.monotonic()
        self._bar = self._terminal_bar()

    def __enter__(self) -> "ProgressBar":
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def advance(self, count: int = 1) -> None:
        """Add `count` units."""
        self._position += count
        if self._bar is not None:
            self._bar.update(count)
        else:
            self._print_if_due()

    def move_to(self, position: int, metrics: Mapping[str, str]) -> None:
        """Show `position` units done, and metrics by name.

        A first position above 0 is that of a resumed task; the time left does not count it.
        """
        if self._position == 0 and position > 0:
            self._first_position = position
            if self._bar is not None:
                self._bar.initial = position
        self._position, self._metrics = position, metrics
        if self._bar is not None:
            self._bar.n = position
            self._bar.set_postfix(metrics)
        else:
            self._print_if_due()

    def phase(self, name: str) -> None:
        """Show the name of the current step."""
        self._description = name
        if self._bar is not None:
            self._bar.set_description(name)

    def _terminal_bar(self) -> Any:
        if not sys.stderr.isatty():
            return None
        try:
            from tqdm import tqdm
        except ImportError:
            return None
        scale = {"unit_scale": True, "unit_divisor": 1024} if self._unit == "B" else {}
        return tqdm(
            total=self._total,
            unit=self._unit,
            desc=self._description or None,
            dynamic_ncols=True,
            **scale,
        )

    def _print_if_due(self) -> None:
        now = time.monotonic()
        if now - self._last_line < self._seconds_between_lines:
            return
        self._last_line = now
        print(self._line(now - self._started), file=sys.stderr, flush=True)

    def _line(self, seconds: float) -> str:
        description = f"{self._description}: " if self._description else ""
        metrics = "".join(f", {name} {value}" for name, value in self._metrics.items())
        if not self._total:
            return f"{description}{self._quantity(self._position)}, {seconds:,.0f} s{metrics}"
        share = self._position / self._total
        done = self._position - self._first_position
        left = seconds * (self._total - self._position) / done if done else None
        estimate = "" if left is None else f", about {left:,.0f} s left"
        return (
            f"{description}{self._quantity(self._position)} of {self._quantity(self._total)} "
            f"({share:.0%}), {seconds:,.0f} s{estimate}{metrics}"
        )

    def _quantity(self, count: int) -> str:
        if self._unit != "B":
            return f"{count:,} {self._unit}{'' if count == 1 else 's'}"
        size = float(count)
        for unit in ("B", "KiB", "MiB", "GiB"):
            if size < 1024:
                return f"{size:.1f} {unit}" if unit != "B" else f"{count} B"
            size /= 1024
        return f"{size:.1f} TiB"
