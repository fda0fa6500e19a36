"""Text in other encodings, re-encoded as UTF-8 on the way in.

Everything after this sees UTF-8 alone, so a newline is always one byte and
lines.py can cut lines without knowing the encoding.
"""

import codecs
import io
from collections.abc import Iterator

from tersely.corpus.formats.streams import CHUNK_BYTES, RawFile, stream_of
from tersely.errors import UsageError


def as_utf8(file: RawFile, encoding: str) -> io.BufferedReader:
    """Return the file's stream in UTF-8, without a byte order mark."""
    stream = file.stream
    if codecs.lookup(encoding).name not in ("utf-8", "utf-8-sig"):
        stream = stream_of(_recoded(file, encoding))
    if stream.peek(3).startswith(codecs.BOM_UTF8):
        stream.read(3)
    return stream


def _recoded(file: RawFile, encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    at_end = False
    while not at_end:
        chunk = file.stream.read(CHUNK_BYTES)
        at_end = not chunk
        try:
            text = decoder.decode(chunk, final=at_end)
        except UnicodeError as error:
            raise _not_in(encoding, file, line=line, error=error) from None
        line += text.count("\n")
        yield text.encode("utf-8", "replace")


def _not_in(encoding: str, file: RawFile, *, line: int, error: UnicodeError) -> UsageError:
    if isinstance(error, UnicodeDecodeError):
        line += error.object[: error.start].decode(encoding, "ignore").count("\n")
    return UsageError(
        f"{file.shown}, line {line}: not {encoding} text. "
        "Name the encoding the file was written in with --encoding."
    )
