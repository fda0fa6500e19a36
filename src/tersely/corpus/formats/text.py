"""Plain text: each line, paragraph or file is a document.

Uses the options `unit` and `encoding`.
"""

from collections.abc import Iterator

from tersely.corpus.document import Document, OnSkip, ReadOptions
from tersely.corpus.formats.lines import line_location, read_lines
from tersely.corpus.streams import RawFile


def read_plain(file: RawFile, options: ReadOptions, *, on_skip: OnSkip) -> Iterator[Document]:
    """Yield the documents of a text file."""
    if options.unit == "line":
        for line in read_lines(file, options, on_skip=on_skip):
            if line.text.strip():
                yield Document(line.text, line_location(file, line.number))
        return
    builder = _DocumentBuilder(options.max_document_bytes)
    # A line that is too long makes its whole document too long.
    for line in read_lines(file, options, on_skip=builder.add_skipped_line):
        if line.text.strip() or options.unit == "file":
            builder.add(line.text, line.number)
        else:
            yield from builder.finish(file, on_skip)
    yield from builder.finish(file, on_skip)


class _DocumentBuilder:
    """Collects the lines of a document up to the maximum size."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._reset()

    def _reset(self) -> None:
        self._lines: list[str] = []
        self._bytes = 0
        self._first_line = 0
        self._skipped_line: str | None = None

    def add(self, text: str, number: int) -> None:
        self._first_line = self._first_line or number
        self._bytes += len(text.encode()) + 1
        if self._bytes - 1 > self._max_bytes:
            self._lines.clear()
        else:
            self._lines.append(text)

    def add_skipped_line(self, location: str) -> None:
        """Mark the document as too long."""
        self._skipped_line = location
        self._lines.clear()
        self._bytes = self._max_bytes + 2

    def finish(self, file: RawFile, on_skip: OnSkip) -> Iterator[Document]:
        """Yield the document, if there is one, and start the next."""
        location = self._skipped_line or (
            line_location(file, self._first_line) if self._first_line else None
        )
        lines, is_too_long = self._lines, self._bytes - 1 > self._max_bytes
        self._reset()
        text = "\n".join(lines)
        if location and is_too_long:
            on_skip(location)
        elif location and text.strip():
            yield Document(text, location)
