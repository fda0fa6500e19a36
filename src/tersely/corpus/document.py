"""Documents, and the options for reading them.

A document is one stretch of running text: a line, a review, a mail. Format readers yield
documents (formats/); reader.py selects the reader; prepare.py splits them into sentences.
"""

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tersely.corpus.formats import FORMATS
from tersely.errors import UsageError

UNITS = ("line", "paragraph", "file")
COMMON_ENCODINGS = ("utf-8", "utf-16", "latin-1", "cp1252", "ascii", "mac-roman", "shift-jis")

OnSkip = Callable[[str], None]
"""Receives the location of each document skipped for length."""


@dataclass(frozen=True, slots=True)
class Document:
    """Text as its author wrote it, including line breaks."""

    text: str
    location: str  # for error messages: "reviews.csv, line 12"


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read the sources."""

    format: str | None = None  # one of FORMATS; None: detect it for each file
    column: str | None = None  # the column, key or dotted path of the text
    encoding: str = "utf-8"  # of text files: the name of a Python codec
    unit: str = "line"  # plain text: what a document is, one of UNITS
    business: str | None = None  # Yelp: the business file, if it is not beside the reviews
    categories: tuple[str, ...] = ("Restaurants",)  # Yelp: () or ("all",) selects all
    sender: str | None = None  # mailbox: the owner's addresses, separated by commas
    hub_split: str = "train"  # Hugging Face: the split to read
    max_document_bytes: int = 1 << 20  # longer documents are skipped and counted

    def __post_init__(self) -> None:
        """Raise UsageError for invalid values."""
        if self.format is not None:
            _check_choice(self.format, FORMATS, option="format")
        _check_choice(self.unit, UNITS, option="unit")
        _check_encoding(self.encoding)
        if self.max_document_bytes < 1:
            raise UsageError(
                f"max_document_bytes is {self.max_document_bytes}; it must be at least 1."
            )


def closest_match(word: str, candidates: Sequence[str]) -> str | None:
    """Return the candidate most similar to the word, ignoring case; None if none is similar."""
    by_folded = {candidate.casefold(): candidate for candidate in candidates}
    matches = difflib.get_close_matches(word.casefold(), list(by_folded), n=1)
    return by_folded[matches[0]] if matches else None


def _check_choice(value: str, choices: tuple[str, ...], *, option: str) -> None:
    if value in choices:
        return
    match = closest_match(value, choices)
    hint = f" Did you mean {match}?" if match else ""
    raise UsageError(f'unknown {option} "{value}"; choose from {", ".join(choices)}.{hint}')


def _check_encoding(encoding: str) -> None:
    try:
        b"text".decode(encoding)
    except (LookupError, ValueError):
        match = closest_match(encoding, COMMON_ENCODINGS)
        raise UsageError(
            f'unknown encoding "{encoding}". Try --encoding {match or "latin-1"}.'
        ) from None
