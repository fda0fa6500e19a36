"""Lines: decoded text line by line, with line numbers and bounded memory.

Text in other encodings is re-encoded to UTF-8 first, so that a line break is always one
byte. A line longer than the limit is skipped without being loaded. The format readers
interpret the lines.
"""

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass

from tersely.corpus.document import OnSkip, ReadOptions
from tersely.corpus.streams import CHUNK_BYTES, RawFile, stream_from_chunks
from tersely.errors import UsageError

_LINE_CHUNK_BYTES = 1 << 16
_BINARY_SIGNATURES = {
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
    """A line without its line break; numbers start at 1."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class LineChunk:
    """The bytes of a line with its line break, or a part of a very long line."""

    number: int
    data: bytes
    ends_line: bool


def line_location(file: RawFile, number: int) -> str:
    """Return the location of a line for error messages."""
    return f"{file.label}, line {number}"


def read_lines(file: RawFile, options: ReadOptions, *, on_skip: OnSkip) -> Iterator[Line]:
    """Yield each line; skip lines longer than `options.max_document_bytes`."""
    reject_binary(file, options)
    stream = as_utf8(file, options.encoding)
    limit = options.max_document_bytes
    number = 0
    while data := stream.readline(limit + 2):  # the line break may take two bytes
        number += 1
        is_cut_off = len(data) == limit + 2 and not data.endswith(b"\n")
        content = data.rstrip(b"\r\n")
        if is_cut_off or len(content) > limit:
            if is_cut_off:
                _skip_to_line_end(stream)
            on_skip(line_location(file, number))
            continue
        yield Line(number, decode_text(content, file, number=number))


def read_line_chunks(stream: io.BufferedReader) -> Iterator[LineChunk]:
    """Yield lines as bytes, very long ones in several chunks."""
    number = 1
    while data := stream.readline(_LINE_CHUNK_BYTES):
        ends_line = data.endswith(b"\n")
        yield LineChunk(number, data, ends_line)
        number += ends_line


def decode_text(data: bytes, file: RawFile, *, number: int) -> str:
    """Decode the bytes that start on line `number`; raise UsageError for an invalid byte."""
    if b"\0" in data:
        raise UsageError(
            f"{line_location(file, number)}: contains NUL bytes, so this is not a text file. "
            "Name a text file, or its --format or --encoding."
        )
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = number + data.count(b"\n", 0, error.start)
        raise UsageError(
            f"{line_location(file, line)}: byte 0x{data[error.start]:02x} is not UTF-8. "
            "Name the encoding of the file, such as --encoding latin-1."
        ) from None


def reject_binary(file: RawFile, options: ReadOptions) -> None:
    """Raise UsageError if the first bytes are those of a known binary format."""
    head = file.stream.peek(_LINE_CHUNK_BYTES)
    for signature, kind in _BINARY_SIGNATURES.items():
        if head.startswith(signature):
            raise UsageError(
                f"{file.label}: this is {kind}, not text. Save its text as .txt first."
            )
    is_utf16 = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if is_utf16 and codecs.lookup(options.encoding).name == "utf-8":
        raise UsageError(f"{file.label}: this is UTF-16 text. Try --encoding utf-16.")


def as_utf8(file: RawFile, encoding: str) -> io.BufferedReader:
    """Return the stream of the file in UTF-8, without a byte order mark."""
    stream = file.stream
    if codecs.lookup(encoding).name not in ("utf-8", "utf-8-sig"):
        stream = stream_from_chunks(_reencode(file, encoding))
    if stream.peek(3).startswith(codecs.BOM_UTF8):
        stream.read(3)
    return stream


def _reencode(file: RawFile, encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    at_end = False
    while not at_end:
        chunk = file.stream.read(CHUNK_BYTES)
        at_end = not chunk
        try:
            text = decoder.decode(chunk, final=at_end)
        except UnicodeError as error:
            raise _encoding_error(encoding, file, line=line, error=error) from None
        line += text.count("\n")
        yield text.encode("utf-8", "replace")


def _encoding_error(encoding: str, file: RawFile, *, line: int, error: UnicodeError) -> UsageError:
    if isinstance(error, UnicodeDecodeError):
        line += error.object[: error.start].decode(encoding, "ignore").count("\n")
    return UsageError(
        f"{line_location(file, line)}: not {encoding} text. "
        "Name the encoding of the file with --encoding."
    )


def _skip_to_line_end(stream: io.BufferedReader) -> None:
    while (data := stream.readline(_LINE_CHUNK_BYTES)) and not data.endswith(b"\n"):
        pass
