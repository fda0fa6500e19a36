"""The report as a document: sections of paragraphs, tables and figures.

Cells hold plain values. A column formats them for the page; CSV files get them unformatted.
rendering.py writes a document as HTML, Markdown, CSV and images.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from matplotlib.figure import Figure as Canvas

Shape = Literal["text", "count", "share", "points", "relative", "number", "interval", "yes"]
Value = str | int | float | bool | tuple[float, float] | None
Row = tuple[Value, ...]
Draw = Callable[[Canvas], None]

FORMATS: dict[Shape, Callable[[Any], str]] = {
    "text": str,
    "count": lambda value: f"{value:,.0f}",
    "share": lambda value: f"{100 * value:.2f}",
    "points": lambda value: f"{100 * value:+.2f}",
    "relative": lambda value: f"{100 * value:+.2f}",
    "number": lambda value: f"{value:.3f}",
    "interval": lambda value: f"{100 * value[0]:.2f} to {100 * value[1]:.2f}",
    "yes": lambda value: "yes" if value else "no",
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column's heading and the format of its values."""

    title: str
    shape: Shape = "text"

    @property
    def is_numeric(self) -> bool:
        """Whether the column is aligned right."""
        return self.shape not in ("text", "yes")

    def format(self, value: Value) -> str:
        """Format a value for the page; shares become per cent."""
        return "–" if value is None else FORMATS[self.shape](value)


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `name` is the stem of its CSV file."""

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: Sequence[Row]
    is_shown: bool = True  # False: CSV only

    def formatted_rows(self) -> list[list[str]]:
        """Return all cells formatted for the page."""
        return [
            [column.format(value) for column, value in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot; `name` is the stem of its PNG and SVG files."""

    name: str
    caption: str
    draw: Draw
    inches: tuple[float, float] = (10.0, 4.2)


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    text: str


Block = Table | Figure | Text


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """The whole page."""

    title: str
    sections: tuple[Section, ...]

    def blocks(self) -> list[Block]:
        """Return the blocks of all sections in order."""
        return [block for section in self.sections for block in section.blocks]
