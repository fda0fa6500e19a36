"""The page's sections, in the paper's order; a module each."""

from tersely_lab.reproduction.analysis import Analysis
from tersely_lab.reproduction.report.document import Document
from tersely_lab.reproduction.report.sections import (
    examples,
    opening,
    restarts,
    robustness,
    scale,
    stability,
    tradeoff,
    wording,
)

TITLE = "Learning Autocomplete Systems as a Communication Game, reproduced"


def document(analysis: Analysis, command: str) -> Document:
    """Lay the page out; `command` is what made it."""
    return Document(
        TITLE,
        (
            opening.section(analysis, command),
            tradeoff.against_linear(analysis),
            tradeoff.against_rules(analysis),
            stability.section(analysis),
            robustness.section(analysis),
            wording.section(analysis),
            restarts.section(analysis),
            examples.section(analysis),
            scale.section(analysis),
        ),
    )
