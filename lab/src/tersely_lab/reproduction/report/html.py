"""The document as one HTML page, with its plots beside it; no script, nothing from elsewhere."""

from importlib.resources import files

from tersely.errors import UsageError
from tersely_lab.reproduction.report.document import Document, Figure, Table, Text


def render(document: Document) -> str:
    """Render the page."""
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError as error:
        raise UsageError('The page needs Jinja2. Try: pip install "tersely[report]"') from error
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.tests["table"] = lambda block: isinstance(block, Table)
    environment.tests["figure"] = lambda block: isinstance(block, Figure)
    environment.tests["paragraph"] = lambda block: isinstance(block, Text)
    source = (
        files("tersely_lab.reproduction.report")
        .joinpath("page.html.j2")
        .read_text(encoding="utf-8")
    )
    return environment.from_string(source).render(document=document) + "\n"
