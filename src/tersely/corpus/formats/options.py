"""What a person may say about a corpus, checked as soon as it is said.

Which reader heeds which option is told by the readers; picking the reader is
corpus.py's job.
"""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from tersely.errors import UsageError

FORMATS = ("text", "csv", "tsv", "jsonl", "parquet", "yelp", "pairs", "mailbox")
UNITS = ("line", "paragraph", "file")
COMMON_ENCODINGS = ("utf-8", "utf-16", "latin-1", "cp1252", "ascii", "mac-roman", "shift-jis")


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read the sources; the defaults suit files that say what they are."""

    format: str | None = None  # one of FORMATS; None: by each file's name and content
    column: str | None = None  # the column, key or dotted path that holds the text
    encoding: str = "utf-8"  # of text files, by its Python name
    unit: str = "line"  # plain text: what one document is, one of UNITS
    business: str | None = None  # Yelp: the business file, where it is not beside the reviews
    categories: tuple[str, ...] = ("Restaurants",)  # Yelp: kept categories; () or ("all",): all
    sender: str | None = None  # mailbox: the person's own addresses, separated by commas
    hub_split: str = "train"  # Hugging Face: the split to read
    max_document_bytes: int = 1 << 20  # longer documents are skipped and counted

    def __post_init__(self) -> None:
        """Refuse values no reader could follow."""
        if self.format is not None:
            _require_known(self.format, FORMATS, what="format")
        _require_known(self.unit, UNITS, what="unit")
        _require_encoding(self.encoding)
        if self.max_document_bytes < 1:
            raise UsageError(
                f"longest document of {self.max_document_bytes} bytes: must be at least 1."
            )


def nearest(word: str, known: Sequence[str]) -> str | None:
    """Find the known word most like this one, if any is like it, whatever the case."""
    by_folded = {name.casefold(): name for name in known}
    close = difflib.get_close_matches(word.casefold(), list(by_folded), n=1)
    return by_folded[close[0]] if close else None


def _require_known(value: str, known: tuple[str, ...], *, what: str) -> None:
    if value in known:
        return
    close = nearest(value, known)
    hint = f" Did you mean {close}?" if close else ""
    raise UsageError(f'unknown {what} "{value}"; known are {", ".join(known)}.{hint}')


def _require_encoding(encoding: str) -> None:
    try:
        b"text".decode(encoding)
    except (LookupError, ValueError):
        close = nearest(encoding, COMMON_ENCODINGS)
        raise UsageError(
            f'unknown encoding "{encoding}". Try --encoding {close or "latin-1"}.'
        ) from None
