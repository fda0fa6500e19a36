"""Shuffle documents on disk, remove duplicates, and divide them into splits.

Each document is assigned to one of many buckets by a keyed hash of its text. Read back
bucket by bucket in the order of the hash, the documents are shuffled, duplicates are
adjacent, and only one bucket is in memory. The order depends only on the seed and the
texts, not on the number of processes.

The sentences of a document are never divided between two splits. The share of frequent
words can be capped in train; dev and test keep the distribution of the corpus.
"""

import hashlib
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tersely.errors import UsageError
from tersely.text.tokens import SHIFT

_RECORD = struct.Struct("<16sII")  # digest, number of sentences, number of bytes that follow
_DEFAULT_SPLIT_DIVISOR = 20  # dev and test each get a twentieth
_MAX_DEFAULT_SPLIT = 10_000


@dataclass(frozen=True, slots=True)
class ShuffledDocument:
    """The sentences of a document, each as tokens joined by spaces."""

    digest: bytes
    sentences: tuple[str, ...]


class DocumentShuffler:
    """Shuffles and deduplicates documents; keeps at most `buffer_bytes` in memory."""

    def __init__(
        self, folder: Path, *, seed: int, buckets: int = 512, buffer_bytes: int = 32 << 20
    ) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self._key = seed.to_bytes(8, "little", signed=True)
        self._buffers = [bytearray() for _ in range(buckets)]
        self._buffered_bytes = 0
        self._max_buffered_bytes = buffer_bytes
        self._added = 0
        self.duplicates = 0

    def add(self, text: str, sentences: list[str], *, is_single: bool) -> None:
        """Add a document. A document of a single sentence is never a duplicate."""
        digest = hashlib.blake2b(text.encode(), digest_size=16, key=self._key)
        if is_single:
            digest.update(self._added.to_bytes(8, "little"))
        self._added += 1
        payload = "\n".join(sentences).encode()
        record = _RECORD.pack(digest.digest(), len(sentences), len(payload)) + payload
        self._buffers[self._bucket(digest.digest())] += record
        self._buffered_bytes += len(record)
        if self._buffered_bytes > self._max_buffered_bytes:
            self._flush()

    def documents(self) -> Iterator[ShuffledDocument]:
        """Yield each distinct document once, in the order of its hash."""
        self._flush()
        for index in range(len(self._buffers)):
            path = self._path(index)
            if not path.exists():
                continue
            previous = None
            for document in sorted(_parse(path.read_bytes()), key=lambda item: item.digest):
                if document.digest == previous:
                    self.duplicates += 1
                else:
                    yield document
                previous = document.digest
            path.unlink()

    def _bucket(self, digest: bytes) -> int:
        return int.from_bytes(digest[:4], "big") * len(self._buffers) >> 32

    def _path(self, index: int) -> Path:
        return self._folder / f"{index:04d}"

    def _flush(self) -> None:
        for index, buffer in enumerate(self._buffers):
            if buffer:
                with self._path(index).open("ab") as file:
                    file.write(buffer)
                buffer.clear()
        self._buffered_bytes = 0


def _parse(content: bytes) -> Iterator[ShuffledDocument]:
    start = 0
    while start < len(content):
        digest, count, size = _RECORD.unpack_from(content, start)
        start += _RECORD.size
        payload = content[start : start + size].decode()
        start += size
        yield ShuffledDocument(digest, tuple(payload.split("\n")) if count else ())


@dataclass(frozen=True, slots=True)
class SplitSizes:
    """Sentences per split; None: 5 % but at most 10,000 for dev and test, the rest for train."""

    train: int | None = None
    dev: int | None = None
    test: int | None = None

    def resolve(self, available: int) -> "SplitSizes":
        """Replace None by numbers; raise UsageError if there are too few sentences."""
        default = min(_MAX_DEFAULT_SPLIT, available // _DEFAULT_SPLIT_DIVISOR)
        dev = default if self.dev is None else self.dev
        test = default if self.test is None else self.test
        train = max(0, available - dev - test) if self.train is None else self.train
        if train + dev + test > available or (self.train is None and train == 0):
            raise UsageError(
                f"{available:,} sentences are not enough for {train:,} train, {dev:,} dev and "
                f"{test:,} test. Reduce the sizes (--train, --dev, --test) or add text."
            )
        return SplitSizes(train, dev, test)


def split_documents(
    documents: Iterable[tuple[str, ...]], sizes: SplitSizes
) -> Iterator[tuple[str, str]]:
    """Yield (split, sentence): whole documents to test until it is full, then dev, then train.

    Sentences of a document beyond the size of its split are dropped, so sizes are exact.
    """
    remaining = {"test": sizes.test or 0, "dev": sizes.dev or 0, "train": sizes.train or 0}
    names = iter(remaining)
    name: str | None = next(names)
    for sentences in documents:
        while name is not None and remaining[name] == 0:
            name = next(names, None)
        if name is None:
            return
        for sentence in sentences[: remaining[name]]:
            remaining[name] -= 1
            yield name, sentence


class WordCap:
    """Limits the share of sentences that contain given words."""

    def __init__(self, shares: Mapping[str, float]) -> None:
        for word, share in shares.items():
            if not 0 <= share <= 1:
                raise UsageError(
                    f"--cap-word {word}={share}: the share must be between 0 and 1, as in Tom=0.02."
                )
        self._shares = {word.lower(): share for word, share in shares.items()}
        self._containing = dict.fromkeys(self._shares, 0)
        self._accepted = 0
        self.dropped = 0

    def accept(self, sentence: str) -> bool:
        """Return True and count the sentence if it keeps every word below its share."""
        if not self._shares:
            return True
        words = {token.lower() for token in sentence.split(" ") if token != SHIFT}
        capped = [word for word in self._shares if word in words]
        total = self._accepted + 1
        if any(self._containing[word] + 1 > self._shares[word] * total for word in capped):
            self.dropped += 1
            return False
        self._accepted = total
        for word in capped:
            self._containing[word] += 1
        return True
