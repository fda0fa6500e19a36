"""CSV records: which lines belong together because a quoted field spans them.

A record too long to take is walked over, not loaded, so that the next one is
found. Cutting a record into fields is tables.py's job.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from tersely.corpus.formats.document import OnSkipped
from tersely.corpus.formats.lines import decoded, place, read_pieces, refuse_foreign
from tersely.corpus.formats.options import ReadOptions
from tersely.corpus.formats.streams import RawFile
from tersely.corpus.formats.transcoding import as_utf8
from tersely.errors import UsageError

_QUOTE = ord('"')


@dataclass(frozen=True, slots=True)
class Record:
    """A record as it stands in the file, beginning on line `number`."""

    number: int
    text: str


class _State(Enum):
    FIELD_START = auto()
    IN_FIELD = auto()
    QUOTED = auto()
    QUOTE_IN_QUOTED = auto()  # the end of the field, or half of a doubled quote


class QuoteTracker:
    """Follows quotes through pieces of a record; a quote opens only where a field begins."""

    def __init__(self, delimiter: str) -> None:
        """Begin at the start of a record whose fields are parted by `delimiter`."""
        self._delimiter = delimiter.encode()
        self._state = _State.FIELD_START

    def advance(self, data: bytes) -> None:
        """Walk over the next piece, wherever it was cut."""
        if b'"' not in data and self._state is not _State.QUOTED:
            at_start = data.endswith(self._delimiter)
            self._state = _State.FIELD_START if at_start else _State.IN_FIELD
            return
        position = 0
        while 0 <= position < len(data):
            if self._state is _State.QUOTED:
                position = self._walk_to(b'"', data, position, _State.QUOTE_IN_QUOTED)
            elif self._state is _State.IN_FIELD:
                position = self._walk_to(self._delimiter, data, position, _State.FIELD_START)
            else:
                self._step(data[position])
                position += 1

    @property
    def is_open(self) -> bool:
        """Whether a quoted field goes on after what was walked over."""
        return self._state is _State.QUOTED

    def _walk_to(self, sought: bytes, data: bytes, position: int, then: _State) -> int:
        found = data.find(sought, position)
        if found < 0:
            return found
        self._state = then
        return found + 1

    def _step(self, byte: int) -> None:
        if byte == _QUOTE:
            self._state = _State.QUOTED
        elif byte == self._delimiter[0]:
            self._state = _State.FIELD_START
        else:
            self._state = _State.IN_FIELD


def read_records(
    file: RawFile, options: ReadOptions, *, delimiter: str, on_skipped: OnSkipped
) -> Iterator[Record]:
    """Yield each record whole; tell `on_skipped` of those too long to take."""
    refuse_foreign(file, options)
    quotes = QuoteTracker(delimiter)
    parts: list[bytes] = []
    size, first = 0, 1
    for piece in read_pieces(as_utf8(file, options.encoding)):
        quotes.advance(piece.data)
        size += len(piece.data)
        if size <= options.max_document_bytes:
            parts.append(piece.data)
        else:
            parts.clear()
        if piece.ends_line and not quotes.is_open:
            yield from _finished(file, parts, size=size, first=first, on_skipped=on_skipped)
            quotes = QuoteTracker(delimiter)
            parts, size, first = [], 0, piece.number + 1
    if size and quotes.is_open:
        raise UsageError(
            f"{place(file, first)}: a quote opened in this record is never closed. "
            'Close it, or double the quotes inside fields ("").'
        )
    if size:
        yield from _finished(file, parts, size=size, first=first, on_skipped=on_skipped)


def _finished(
    file: RawFile, parts: list[bytes], *, size: int, first: int, on_skipped: OnSkipped
) -> Iterator[Record]:
    if size and not parts:
        on_skipped(place(file, first))
    else:
        yield Record(first, decoded(b"".join(parts), file, number=first))
