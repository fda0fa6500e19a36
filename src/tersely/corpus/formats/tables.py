"""Tables in text files: CSV and TSV, with a header line.

Uses the options `column` and `encoding`. A CSV record may span lines; `read_records` finds
where it ends, in bounded memory, and the csv module splits it into fields.
docs/decisions/libraries.md compares this with pyarrow's CSV reader.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from tersely.corpus.document import Document, OnSkip, ReadOptions
from tersely.corpus.formats.columns import choose_column
from tersely.corpus.formats.lines import (
    as_utf8,
    decode_text,
    line_location,
    read_line_chunks,
    read_lines,
    reject_binary,
)
from tersely.corpus.streams import RawFile
from tersely.errors import UsageError

_QUOTE = ord('"')

Row = tuple[int, list[str]]
"""Line number and fields."""


@dataclass(frozen=True, slots=True)
class Record:
    """The text of a CSV record, which starts on line `number`."""

    number: int
    text: str


def read_csv(file: RawFile, options: ReadOptions, *, on_skip: OnSkip) -> Iterator[Document]:
    """Yield the chosen column of each row."""
    delimiter = _detect_delimiter(file, options.encoding)
    records = read_records(file, options, delimiter=delimiter, on_skip=on_skip)
    rows = (
        (
            record.number,
            _split_fields(record.text, delimiter, location=line_location(file, record.number)),
        )
        for record in records
        if record.text.strip()
    )
    return _column_documents(rows, file, options)


def read_tsv(file: RawFile, options: ReadOptions, *, on_skip: OnSkip) -> Iterator[Document]:
    """Yield the chosen column of each row; a row is a line."""
    rows = (
        (line.number, [_unquote(field) for field in line.text.split("\t")])
        for line in read_lines(file, options, on_skip=on_skip)
        if line.text.strip()
    )
    return _column_documents(rows, file, options)


def read_records(
    file: RawFile, options: ReadOptions, *, delimiter: str, on_skip: OnSkip
) -> Iterator[Record]:
    """Yield each CSV record; skip records longer than `options.max_document_bytes`.

    A skipped record is scanned for its end but not loaded.
    """
    reject_binary(file, options)
    quotes = QuoteTracker(delimiter)
    parts: list[bytes] = []
    size, first_line = 0, 1
    for chunk in read_line_chunks(as_utf8(file, options.encoding)):
        quotes.advance(chunk.data)
        size += len(chunk.data)
        if size <= options.max_document_bytes:
            parts.append(chunk.data)
        else:
            parts.clear()
        if chunk.ends_line and not quotes.is_open:
            yield from _finish_record(file, parts, first_line=first_line, on_skip=on_skip)
            quotes = QuoteTracker(delimiter)
            parts, size, first_line = [], 0, chunk.number + 1
    if size and quotes.is_open:
        raise UsageError(
            f"{line_location(file, first_line)}: a quote opened in this record is never closed. "
            'Close it, or double the quotes inside fields ("").'
        )
    if size:
        yield from _finish_record(file, parts, first_line=first_line, on_skip=on_skip)


class _State(Enum):
    FIELD_START = auto()
    IN_FIELD = auto()
    QUOTED = auto()
    QUOTE_IN_QUOTED = auto()  # the end of the field, or half of a doubled quote


class QuoteTracker:
    """Tracks the quotes of a record across chunks; a quote opens only at the start of a field."""

    def __init__(self, delimiter: str) -> None:
        """Start at the beginning of a record."""
        self._delimiter = delimiter.encode()
        self._state = _State.FIELD_START

    def advance(self, data: bytes) -> None:
        """Scan the next chunk; chunks may be cut anywhere."""
        if b'"' not in data and self._state is not _State.QUOTED:
            at_start = data.endswith(self._delimiter)
            self._state = _State.FIELD_START if at_start else _State.IN_FIELD
            return
        position = 0
        while 0 <= position < len(data):
            if self._state is _State.QUOTED:
                position = self._scan_to(b'"', data, position, _State.QUOTE_IN_QUOTED)
            elif self._state is _State.IN_FIELD:
                position = self._scan_to(self._delimiter, data, position, _State.FIELD_START)
            else:
                self._step(data[position])
                position += 1

    @property
    def is_open(self) -> bool:
        """True if a quoted field continues after the scanned chunks."""
        return self._state is _State.QUOTED

    def _scan_to(self, target: bytes, data: bytes, position: int, state: _State) -> int:
        index = data.find(target, position)
        if index < 0:
            return index
        self._state = state
        return index + 1

    def _step(self, byte: int) -> None:
        if byte == _QUOTE:
            self._state = _State.QUOTED
        elif byte == self._delimiter[0]:
            self._state = _State.FIELD_START
        else:
            self._state = _State.IN_FIELD


def _finish_record(
    file: RawFile, parts: list[bytes], *, first_line: int, on_skip: OnSkip
) -> Iterator[Record]:
    if parts:
        yield Record(first_line, decode_text(b"".join(parts), file, number=first_line))
    else:
        on_skip(line_location(file, first_line))


def _column_documents(
    rows: Iterator[Row], file: RawFile, options: ReadOptions
) -> Iterator[Document]:
    number, header = next(rows, (0, []))
    if not header:
        raise UsageError(f"{file.label}: empty; a header line with the column names is required.")
    names = [name.strip() for name in header]
    column = choose_column(names, options.column, location=line_location(file, number))
    index = names.index(column)
    for number, fields in rows:
        if len(fields) != len(names):
            noun = "field" if len(fields) == 1 else "fields"
            raise UsageError(
                f"{line_location(file, number)}: {len(fields)} {noun} where the header has "
                f"{len(names)}. Correct the line, or quote fields that contain separators."
            )
        if fields[index].strip():
            yield Document(fields[index], line_location(file, number))


def _split_fields(text: str, delimiter: str, *, location: str) -> list[str]:
    default_limit = csv.field_size_limit()
    if len(text) > default_limit:
        csv.field_size_limit(len(text))
    try:
        return next(csv.reader([text], delimiter=delimiter))
    except csv.Error as error:
        raise UsageError(f"{location}: not CSV ({error}). Correct the line.") from None
    finally:
        # The limit is global to the process, so it is restored at once.
        if len(text) > default_limit:
            csv.field_size_limit(default_limit)


def _detect_delimiter(file: RawFile, encoding: str) -> str:
    """Return a semicolon or tab if the header contains it and no comma; else a comma."""
    lines = file.stream.peek(1).decode(encoding, "ignore").splitlines()
    header = lines[0] if lines else ""
    return next((delimiter for delimiter in ",;\t" if delimiter in header), ",")


def _unquote(field: str) -> str:
    """Remove quotes that a program put around a TSV field; leave those of the text."""
    inside = field[1:-1]
    is_quoted = len(field) > 1 and field[0] == field[-1] == '"'
    if is_quoted and '"' not in inside.replace('""', ""):
        return inside.replace('""', '"')
    return field
