"""Sentence pairs in the form of Tatoeba and ManyThings: English, tab, another language.

Only the English side is read. A sentence with several translations is on several
consecutive lines and is one document. Uses the option `encoding`.
"""

from collections.abc import Iterator

from tersely.corpus.document import Document, OnSkip, ReadOptions
from tersely.corpus.formats.lines import line_location, read_lines
from tersely.corpus.streams import RawFile
from tersely.errors import UsageError

_MIN_FIELDS, _MAX_FIELDS = 2, 3  # the attribution may be missing
_LICENCE = "CC-BY"


def looks_like_pairs(lines: list[str]) -> bool:
    """Return True if the first lines of a file have the attributions of pair files."""
    rows = [line.rstrip("\r").split("\t") for line in lines if line.strip()]
    attributions = [row[2] for row in rows if len(row) == _MAX_FIELDS]
    return (
        bool(attributions)
        and all(_MIN_FIELDS <= len(row) <= _MAX_FIELDS for row in rows)
        and all(attribution.startswith(_LICENCE) for attribution in attributions)
    )


def read_pairs(file: RawFile, options: ReadOptions, *, on_skip: OnSkip) -> Iterator[Document]:
    """Yield each English sentence once."""
    previous = ""
    for line in read_lines(file, options, on_skip=on_skip):
        if not line.text.strip():
            continue
        fields = line.text.split("\t")
        if not _MIN_FIELDS <= len(fields) <= _MAX_FIELDS:
            raise UsageError(
                f"{line_location(file, line.number)}: {len(fields)} tab-separated field(s); pairs "
                "have 2 or 3 (English, translation, attribution). "
                "Correct the line, or try --format text."
            )
        english = fields[0].strip()
        if english and english != previous:
            yield Document(english, line_location(file, line.number))
        previous = english
