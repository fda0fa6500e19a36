"""Write a document: HTML, Markdown, CSV tables, and figures as PNG and SVG.

The HTML page has no script and loads nothing from other sites; plots and tables lie beside it.
"""

import csv
import re
import textwrap
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas

from tersely.storage.atomic import new_file
from tersely_lab.reproduction.document import Block, Document, Figure, Table, Text, Value

DPI = 130
MARKDOWN_COLUMNS = 100


def render_html(document: Document) -> str:
    """Render the page from page.html.j2."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.tests["table"] = lambda block: isinstance(block, Table)
    environment.tests["figure"] = lambda block: isinstance(block, Figure)
    environment.tests["paragraph"] = lambda block: isinstance(block, Text)
    template = files("tersely_lab.reproduction").joinpath("page.html.j2")
    source = template.read_text(encoding="utf-8")
    return environment.from_string(source).render(document=document) + "\n"


def render_markdown(document: Document, plots: str) -> str:
    """Render the page as Markdown; `plots` is the relative path of the plots' folder."""
    parts = [f"# {document.title}"]
    for section in document.sections:
        parts.append(f"## {section.title}")
        parts += [text for block in section.blocks if (text := _block(block, plots))]
    return "\n\n".join(parts) + "\n"


def _block(block: Block, plots: str) -> str:
    if isinstance(block, Text):
        return _wrapped(block.text)
    caption = _wrapped(block.caption)
    if isinstance(block, Figure):
        return f"![{block.name}]({plots}/{block.name}.png)\n\n{caption}"
    return f"{caption}\n\n{_table(block)}" if block.is_shown else ""


def _wrapped(text: str) -> str:
    """Break text into lines at spaces; no line begins with what Markdown takes for a list."""
    lines = textwrap.wrap(
        _escaped(text), MARKDOWN_COLUMNS - 1, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(re.sub(r"^([-+#]|\d+[.)])(?=\s|$)", r"\\\1", line) for line in lines)


def _table(table: Table) -> str:
    alignments = ["---:" if column.is_numeric else "---" for column in table.columns]
    titles = [column.title for column in table.columns]
    return "\n".join(map(_row, [titles, alignments, *table.formatted_rows()]))


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_escaped(cell).replace('|', chr(92) + '|') for cell in cells)} |"


def _escaped(text: str) -> str:
    """Return one line in which no character is Markdown or HTML syntax."""
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r"([<>*\[\]`\\])", r"\\\1", text)


def write_csv(table: Table, folder: Path) -> None:
    """Write a table with every digit; an interval takes two columns."""
    header: list[str] = []
    for column in table.columns:
        is_interval = column.shape == "interval"
        header += [f"{column.title} from", f"{column.title} to"] if is_interval else [column.title]
    with (
        new_file(folder / f"{table.name}.csv") as partial,
        partial.open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for row in table.rows:
            cells: list[str] = []
            for column, value in zip(table.columns, row, strict=True):
                cells += _cells(value, is_interval=column.shape == "interval")
            writer.writerow(cells)


def _cells(value: Value, *, is_interval: bool) -> list[str]:
    if value is None:
        return ["", ""] if is_interval else [""]
    if isinstance(value, tuple):
        return [repr(float(end)) for end in value]
    if isinstance(value, float):
        return [repr(float(value))]  # a NumPy float has another repr
    return [without_formula(value)] if isinstance(value, str) else [str(value)]


def without_formula(text: str) -> str:
    """Quote text that a spreadsheet would evaluate as a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def save_figure(figure: Figure, folder: Path) -> None:
    """Draw a figure and write it as PNG and SVG; equal figures give equal bytes."""
    with rc_context({"svg.hashsalt": "tersely", "svg.fonttype": "path"}):
        canvas = Canvas(figsize=figure.inches, layout="constrained")
        FigureCanvasAgg(canvas)
        figure.draw(canvas)
        for axes in canvas.axes:
            axes.spines[["top", "right"]].set_visible(False)
        for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None})):
            with new_file(folder / f"{figure.name}.{kind}") as partial:
                canvas.savefig(partial, dpi=DPI, format=kind, metadata=metadata)
