"""The document as Markdown, with its plots by relative links."""

import re
from collections.abc import Sequence

from tersely_lab.reproduction.report.document import Block, Document, Figure, Table

TRAILING = re.compile(r"\s+")


def render(document: Document, plots: str) -> str:
    """The whole page; `plots` is where the plots lie, seen from the page."""
    parts = [f"# {document.title}"]
    for section in document.sections:
        parts.append(f"## {section.title}")
        parts += [text for block in section.blocks if (text := _block(block, plots))]
    return "\n\n".join(parts) + "\n"


def _block(block: Block, plots: str) -> str:
    if isinstance(block, Figure):
        return f"![{_plain(block.caption)}]({plots}/{block.name}.png)\n\n{_plain(block.caption)}"
    if isinstance(block, Table):
        return f"{_plain(block.caption)}\n\n{_table(block)}" if block.is_shown else ""
    return _plain(block.text)


def _table(table: Table) -> str:
    rules = ["---:" if column.is_numeric else "---" for column in table.columns]
    rows = [[column.title for column in table.columns], rules, *table.shown_rows()]
    return "\n".join(_row(row) for row in rows)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_plain(cell).replace('|', chr(92) + '|') for cell in cells)} |"


def _plain(text: str) -> str:
    """One line, without what Markdown or HTML would take for more than text."""
    text = TRAILING.sub(" ", text).strip()
    return re.sub(r"([<>*\[\]`\\])", r"\\\1", text)
