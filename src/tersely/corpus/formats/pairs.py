"""Sentence pairs as Tatoeba and ManyThings hand them out: English, tab, another language.

The English side alone is read. A sentence with several translations stands
on several lines in a row and is one document. Heeds `encoding`.
"""

from collections.abc import Iterator

from tersely.corpus.formats.document import Document, OnSkipped
from tersely.corpus.formats.lines import place, read_lines
from tersely.corpus.formats.options import ReadOptions
from tersely.corpus.formats.streams import RawFile
from tersely.errors import UsageError

_FEWEST_FIELDS, _MOST_FIELDS = 2, 3  # the attribution may be missing
_LICENCE = "CC-BY"


def looks_like_pairs(lines: list[str]) -> bool:
    """Tell pair files by their attributions, from their first lines."""
    rows = [line.rstrip("\r").split("\t") for line in lines if line.strip()]
    attributions = [row[2] for row in rows if len(row) == _MOST_FIELDS]
    return (
        bool(attributions)
        and all(_FEWEST_FIELDS <= len(row) <= _MOST_FIELDS for row in rows)
        and all(attribution.startswith(_LICENCE) for attribution in attributions)
    )


def read_pairs(file: RawFile, options: ReadOptions, *, on_skipped: OnSkipped) -> Iterator[Document]:
    """Yield each English sentence once."""
    previous = ""
    for line in read_lines(file, options, on_skipped=on_skipped):
        if not line.text.strip():
            continue
        fields = line.text.split("\t")
        if not _FEWEST_FIELDS <= len(fields) <= _MOST_FIELDS:
            raise UsageError(
                f"{place(file, line.number)}: {len(fields)} field(s) between tabs; pairs have "
                "2 or 3 (English, translation, attribution). Mend the line, or try --format text."
            )
        english = fields[0].strip()
        if english and english != previous:
            yield Document(english, place(file, line.number))
        previous = english
