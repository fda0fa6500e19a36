"""A document: one stretch of running text out of a corpus, and where it stood.

Readers yield documents; cutting them into sentences is sentences.py's job.
"""

from collections.abc import Callable
from dataclasses import dataclass

OnSkipped = Callable[[str], None]
"""Told the place of each document left out because it is too long."""


@dataclass(frozen=True, slots=True)
class Document:
    """Text as its author wrote it, line breaks included."""

    text: str
    place: str  # for people: "reviews.csv, line 12"
