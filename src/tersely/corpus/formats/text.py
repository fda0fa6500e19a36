"""Plain text: each line, paragraph or file is a document.

Heeds `unit` and `encoding`.
"""

from collections.abc import Iterator

from tersely.corpus.formats.document import Document, OnSkipped
from tersely.corpus.formats.lines import place, read_lines
from tersely.corpus.formats.options import ReadOptions
from tersely.corpus.formats.streams import RawFile


def read_plain(file: RawFile, options: ReadOptions, *, on_skipped: OnSkipped) -> Iterator[Document]:
    """Yield the file's documents."""
    if options.unit == "line":
        for line in read_lines(file, options, on_skipped=on_skipped):
            if line.text.strip():
                yield Document(line.text, place(file, line.number))
        return
    gathering = _Gathering(options.max_document_bytes)
    # A line too long to take spoils the document it stands in.
    for line in read_lines(file, options, on_skipped=gathering.spoil):
        if line.text.strip() or options.unit == "file":
            gathering.add(line.text, line.number)
        else:
            yield from gathering.finish(file, on_skipped)
    yield from gathering.finish(file, on_skipped)


class _Gathering:
    """The lines of the document being read, as long as they fit."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._reset()

    def _reset(self) -> None:
        self._lines: list[str] = []
        self._bytes = 0
        self._first = 0
        self._spoiled_at: str | None = None

    def add(self, text: str, number: int) -> None:
        self._first = self._first or number
        self._bytes += len(text.encode()) + 1
        if self._bytes - 1 > self._max_bytes:
            self._lines.clear()
        else:
            self._lines.append(text)

    def spoil(self, where: str) -> None:
        self._spoiled_at = where
        self._lines.clear()
        self._bytes = self._max_bytes + 2

    def finish(self, file: RawFile, on_skipped: OnSkipped) -> Iterator[Document]:
        """Yield the document, if there is one, and begin the next."""
        where = self._spoiled_at or (place(file, self._first) if self._first else None)
        lines, too_long = self._lines, self._bytes - 1 > self._max_bytes
        self._reset()
        text = "\n".join(lines)
        if where and too_long:
            on_skipped(where)
        elif where and text.strip():
            yield Document(text, where)
