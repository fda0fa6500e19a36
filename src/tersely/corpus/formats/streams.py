"""Binary streams made of other binary streams.

Everything between the disk and a reader (decompression, archive members,
re-encoding) is a generator of chunks; here chunks become a stream again.
What the chunks mean is told by compression.py, archives.py and transcoding.py.
"""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tersely.corpus.formats.progress import Meter
from tersely.errors import TerselyError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

CHUNK_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class RawFile:
    """One file's bytes, already decompressed and out of its archive."""

    shown: str  # what errors call it: "corpus.zip/reviews.csv.gz"
    name: str  # what its format is told by: "reviews.csv"
    stream: io.BufferedReader
    member: bool = False  # it came out of an archive


class MeteredFile(io.FileIO):
    """A file on disk that reports its bytes as they are read."""

    def __init__(self, path: str, meter: Meter) -> None:
        """Open `path` for reading."""
        super().__init__(path, "rb")
        self._meter = meter

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Read as any file does, and tell the meter."""
        try:
            count = super().readinto(buffer) or 0
        except OSError as error:
            raise TerselyError(
                f"{self.name}: cannot be read ({error.strerror}). Check the disk, then try again."
            ) from error
        self._meter.advance(count)
        return count


class ChunkStream(io.RawIOBase):
    """A readable stream over an iterator of chunks, holding one chunk at a time."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        """Take the chunks as they are asked for."""
        self._chunks = chunks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Say yes."""
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Fill the whole buffer while chunks last, so that a peek sees enough."""
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
    """Buffer a stream, so that it can be read by lines and peeked into."""
    return io.BufferedReader(raw, CHUNK_BYTES)


def stream_of(chunks: Iterator[bytes]) -> io.BufferedReader:
    """Make a buffered stream of chunks."""
    return buffered(ChunkStream(chunks))
