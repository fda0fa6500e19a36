"""Spool: documents on disk, come back shuffled and without repeats.

Each document is filed by a keyed hash of its text into one of many buckets. Read
back bucket by bucket, in the order of the hash, documents are shuffled, equal ones
stand side by side, and only one bucket is ever in memory. The order depends on the
seed and the texts alone, not on how many processes filled the spool.
"""

import hashlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_RECORD = struct.Struct("<16sII")  # digest, sentences, bytes that follow


@dataclass(frozen=True, slots=True)
class SpooledDocument:
    """A document's sentences, each as tokens joined by spaces."""

    digest: bytes
    sentences: tuple[str, ...]


class Spool:
    """Files documents in a folder; at most `buffer_bytes` of them wait in memory."""

    def __init__(
        self, folder: Path, *, seed: int, buckets: int = 512, buffer_bytes: int = 32 << 20
    ) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self._key = seed.to_bytes(8, "little", signed=True)
        self._waiting = [bytearray() for _ in range(buckets)]
        self._waiting_bytes = 0
        self._buffer_bytes = buffer_bytes
        self._ordinal = 0
        self.repeated = 0

    def add(self, text: str, sentences: list[str], *, is_single: bool) -> None:
        """File a document. A single sentence is no repeat, however often it is said."""
        digest = hashlib.blake2b(text.encode(), digest_size=16, key=self._key)
        if is_single:
            digest.update(self._ordinal.to_bytes(8, "little"))
        self._ordinal += 1
        payload = "\n".join(sentences).encode()
        record = _RECORD.pack(digest.digest(), len(sentences), len(payload)) + payload
        self._waiting[self._bucket(digest.digest())] += record
        self._waiting_bytes += len(record)
        if self._waiting_bytes > self._buffer_bytes:
            self._flush()

    def documents(self) -> Iterator[SpooledDocument]:
        """Yield each distinct document once, in the order of its hash."""
        self._flush()
        for index in range(len(self._waiting)):
            path = self._path(index)
            if not path.exists():
                continue
            last = None
            for document in sorted(_parse(path.read_bytes()), key=lambda found: found.digest):
                if document.digest == last:
                    self.repeated += 1
                else:
                    yield document
                last = document.digest
            path.unlink()

    def _bucket(self, digest: bytes) -> int:
        return int.from_bytes(digest[:4], "big") * len(self._waiting) >> 32

    def _path(self, index: int) -> Path:
        return self._folder / f"{index:04d}"

    def _flush(self) -> None:
        for index, waiting in enumerate(self._waiting):
            if waiting:
                with self._path(index).open("ab") as file:
                    file.write(waiting)
                waiting.clear()
        self._waiting_bytes = 0


def _parse(content: bytes) -> Iterator[SpooledDocument]:
    start = 0
    while start < len(content):
        digest, count, size = _RECORD.unpack_from(content, start)
        start += _RECORD.size
        payload = content[start : start + size].decode()
        start += size
        yield SpooledDocument(digest, tuple(payload.split("\n")) if count else ())
