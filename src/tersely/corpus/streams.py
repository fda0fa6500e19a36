"""Streams: the bytes of a file, on the way from the disk to a format reader.

Decompression, archive members and re-encoding are generators of chunks; this module makes
streams of them and counts the bytes read from disk. See compression.py, open.py and
formats/lines.py for the generators.
"""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tersely.errors import TerselyError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

CHUNK_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class RawFile:
    """The bytes of one file, decompressed and extracted from its archive."""

    label: str  # its name in error messages: "corpus.zip/reviews.csv.gz"
    name: str  # its name for format detection: "reviews.csv"
    stream: io.BufferedReader
    is_member: bool = False  # it comes from an archive


class ByteMeter:
    """Reports the bytes read of one source, in bytes on disk.

    The total never exceeds the size of the source, and equals it after `finish`, even if
    parts of the source were skipped.
    """

    def __init__(
        self, size: int | None = None, on_bytes: Callable[[int], None] | None = None
    ) -> None:
        """Meter a source of `size` bytes; None if the size is unknown."""
        self._remaining = size
        self._on_bytes = on_bytes

    def advance(self, count: int) -> None:
        """Report `count` more bytes, up to the size."""
        if self._remaining is not None:
            # The directory of an archive is read besides its members, some of it twice.
            count = min(count, self._remaining)
            self._remaining -= count
        if count and self._on_bytes is not None:
            self._on_bytes(count)

    def finish(self) -> None:
        """Report the bytes that were not read, such as skipped members and columns."""
        if self._remaining:
            self.advance(self._remaining)


class MeteredFile(io.FileIO):
    """A file on disk that reports bytes to a meter as they are read."""

    def __init__(self, path: str, meter: ByteMeter) -> None:
        """Open `path` for reading."""
        super().__init__(path, "rb")
        self._meter = meter

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Read bytes and report their number."""
        try:
            count = super().readinto(buffer) or 0
        except OSError as error:
            raise TerselyError(
                f"{self.name}: cannot be read ({error.strerror}). Check the disk, then try again."
            ) from error
        self._meter.advance(count)
        return count


class ChunkStream(io.RawIOBase):
    """A readable stream over an iterator of chunks; holds one chunk at a time."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        """Take chunks only as they are read."""
        self._chunks = chunks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Fill the whole buffer while chunks last, so that `peek` returns enough bytes."""
        target = memoryview(buffer).cast("B")
        filled = 0
        while filled < len(target):
            if not self._rest:
                chunk = next(self._chunks, None)
                if chunk is None:
                    break
                self._rest = memoryview(chunk)
            count = min(len(target) - filled, len(self._rest))
            target[filled : filled + count] = self._rest[:count]
            self._rest = self._rest[count:]
            filled += count
        return filled


def buffered(raw: io.RawIOBase) -> io.BufferedReader:
    """Buffer a stream, so that it supports `readline` and `peek`."""
    return io.BufferedReader(raw, CHUNK_BYTES)


def stream_from_chunks(chunks: Iterator[bytes]) -> io.BufferedReader:
    """Make a buffered stream of chunks."""
    return buffered(ChunkStream(chunks))
