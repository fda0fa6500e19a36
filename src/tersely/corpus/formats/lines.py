"""Lines of text with their numbers, none longer than it may be.

A line is never loaded whole to find that it is too long. What a line means
is the readers' job.
"""

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass

from tersely.corpus.formats.document import OnSkipped
from tersely.corpus.formats.options import ReadOptions
from tersely.corpus.formats.streams import RawFile
from tersely.corpus.formats.transcoding import as_utf8
from tersely.errors import UsageError

_PIECE_BYTES = 1 << 16
_FOREIGN = {
    b"%PDF-": "a PDF",
    b"{\\rtf": "an RTF document",
    b"\xd0\xcf\x11\xe0": "an Office document",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"SQLite format 3": "a database",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"Rar!": "a RAR archive",
}


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its line break; counting begins at 1."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A line's bytes, line break included, or part of a very long line."""

    number: int
    data: bytes
    ends_line: bool


def place(file: RawFile, number: int) -> str:
    """Name a line for people."""
    return f"{file.shown}, line {number}"


def read_lines(file: RawFile, options: ReadOptions, *, on_skipped: OnSkipped) -> Iterator[Line]:
    """Yield each line; tell `on_skipped` of those too long to take."""
    refuse_foreign(file, options)
    stream = as_utf8(file, options.encoding)
    limit = options.max_document_bytes
    number = 0
    while data := stream.readline(limit + 2):  # the line break may take two bytes
        number += 1
        cut_off = len(data) == limit + 2 and not data.endswith(b"\n")
        content = data.rstrip(b"\r\n")
        if cut_off or len(content) > limit:
            if cut_off:
                _skip_to_line_end(stream)
            on_skipped(place(file, number))
            continue
        yield Line(number, decoded(content, file, number=number))


def read_pieces(stream: io.BufferedReader) -> Iterator[Piece]:
    """Yield lines as they are, very long ones in pieces."""
    number = 1
    while data := stream.readline(_PIECE_BYTES):
        ends_line = data.endswith(b"\n")
        yield Piece(number, data, ends_line)
        number += ends_line


def decoded(data: bytes, file: RawFile, *, number: int) -> str:
    """Turn a line's bytes into text, or say which byte is not text."""
    if b"\0" in data:
        raise UsageError(
            f"{place(file, number)}: holds NUL bytes, so this is not a text file. "
            "Name a file of text, or its --format or --encoding."
        )
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = number + data.count(b"\n", 0, error.start)
        raise UsageError(
            f"{place(file, line)}: byte 0x{data[error.start]:02x} is not UTF-8. "
            "Name the encoding the file was written in, such as --encoding latin-1."
        ) from None


def refuse_foreign(file: RawFile, options: ReadOptions) -> None:
    """Refuse files whose first bytes show them to be something else than text."""
    head = file.stream.peek(_PIECE_BYTES)
    for signature, what in _FOREIGN.items():
        if head.startswith(signature):
            raise UsageError(
                f"{file.shown}: this is {what}, not text. Save its text as .txt first."
            )
    wide = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if wide and codecs.lookup(options.encoding).name == "utf-8":
        raise UsageError(f"{file.shown}: this is UTF-16 text. Try --encoding utf-16.")


def _skip_to_line_end(stream: io.BufferedReader) -> None:
    while (data := stream.readline(_PIECE_BYTES)) and not data.endswith(b"\n"):
        pass
