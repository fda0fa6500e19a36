"""A document: sections of text, tables and figures, before it becomes HTML, Markdown or CSV.

Cells hold plain values; how a value reads on a page is its column's affair, and CSV gets it
as it is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

Shape = Literal["text", "count", "share", "points", "relative", "number", "interval", "yes"]
Value = str | int | float | bool | tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column's heading and how its values read."""

    title: str
    shape: Shape = "text"

    @property
    def is_numeric(self) -> bool:
        """Whether it is set flush right."""
        return self.shape not in ("text", "yes")

    def show(self, value: Any) -> str:
        """A value as a person reads it; shares in per cent."""
        if value is None:
            return "–"
        return SHOWN[self.shape](value)


def _interval(value: tuple[float, float]) -> str:
    return f"{100 * value[0]:.2f} to {100 * value[1]:.2f}"


SHOWN: dict[Shape, Callable[[Any], str]] = {
    "text": str,
    "count": lambda value: f"{value:,.0f}",
    "share": lambda value: f"{100 * value:.2f}",
    "points": lambda value: f"{100 * value:+.2f}",
    "relative": lambda value: f"{100 * value:+.2f}",
    "number": lambda value: f"{value:.3f}",
    "interval": _interval,
    "yes": lambda value: "yes" if value else "no",
}


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `name` is that of its CSV file."""

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: Sequence[tuple[Value, ...]]
    is_shown: bool = True  # else there is only the CSV

    def shown_rows(self) -> list[list[str]]:
        """All cells as text."""
        return [
            [column.show(value) for column, value in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot; `name` is that of its PNG and SVG files."""

    name: str
    caption: str
    draw: Callable[["Canvas"], None]
    inches: tuple[float, float] = (10.0, 4.2)


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    text: str


Block = Table | Figure | Text


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """The whole page."""

    title: str
    sections: tuple[Section, ...]

    def blocks(self) -> list[Block]:
        """All blocks in order."""
        return [block for section in self.sections for block in section.blocks]
