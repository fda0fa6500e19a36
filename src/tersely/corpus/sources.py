"""A corpus: running text out of files of many formats, one document at a time.

Here a reader is picked for each source and the sources are read in order;
the formats themselves are told in readers/. What becomes of the documents is
prepare.py's job.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from tersely.corpus.formats.detection import detect_format
from tersely.corpus.formats.document import Document, OnSkipped
from tersely.corpus.formats.hub import PREFIX as HUB_PREFIX
from tersely.corpus.formats.hub import read_hub
from tersely.corpus.formats.json import read_jsonlines
from tersely.corpus.formats.mail import read_mailbox
from tersely.corpus.formats.opening import file_size, open_files
from tersely.corpus.formats.options import FORMATS, ReadOptions
from tersely.corpus.formats.pairs import read_pairs
from tersely.corpus.formats.parquet import read_parquet
from tersely.corpus.formats.progress import Meter
from tersely.corpus.formats.streams import RawFile
from tersely.corpus.formats.tables import read_csv, read_tsv
from tersely.corpus.formats.text import read_plain
from tersely.corpus.formats.yelp import is_yelp, read_yelp
from tersely.errors import UsageError

__all__ = ["FORMATS", "Document", "ReadOptions", "read_documents", "total_bytes"]

FIXTURE_PREFIX = "fixture:"
_FIXTURE_SENTENCES = 20_000
_MOST_SHOWN = 3


class Reader(Protocol):
    """Reads the documents of one file."""

    def __call__(
        self, file: RawFile, options: ReadOptions, /, *, on_skipped: OnSkipped
    ) -> Iterator[Document]:
        """Yield them in the order of the file."""
        ...


_READERS: dict[str, Reader] = {
    "text": read_plain,
    "csv": read_csv,
    "tsv": read_tsv,
    "jsonl": read_jsonlines,
    "parquet": read_parquet,
    "pairs": read_pairs,
    "mailbox": read_mailbox,
}


def read_documents(
    sources: Sequence[str],
    options: ReadOptions,
    *,
    on_bytes: Callable[[int], None] | None = None,
    on_skipped: OnSkipped | None = None,
) -> Iterator[Document]:
    """Read the sources in order; the names are checked at once, the rest while reading.

    `on_bytes` is told the bytes on disk as they are consumed: together the
    `total_bytes` of the sources. `on_skipped` is told the place of each
    document longer than `options.max_document_bytes`.
    """
    if not sources:
        raise UsageError("nothing to read: name at least one file, hf:DATASET or fixture:COUNT.")
    for source in sources:
        _size(source)
    return _documents(sources, options, on_bytes=on_bytes, on_skipped=on_skipped or _ignore)


def total_bytes(sources: Sequence[str]) -> int | None:
    """Return the size of all sources on disk; None where one's size is unknown."""
    sizes = [_size(source) for source in sources]
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


def _documents(
    sources: Sequence[str],
    options: ReadOptions,
    *,
    on_bytes: Callable[[int], None] | None,
    on_skipped: OnSkipped,
) -> Iterator[Document]:
    found = False
    for source in sources:
        meter = Meter(_size(source), on_bytes)
        for document in _source_documents(source, options, meter=meter, on_skipped=on_skipped):
            found = True
            yield _encodable(document)
        meter.finish()
    if not found:
        more = f" and {len(sources) - _MOST_SHOWN} more" if len(sources) > _MOST_SHOWN else ""
        raise UsageError(
            f"no text in {', '.join(sources[:_MOST_SHOWN])}{more}. Name files that hold some."
        )


def _source_documents(
    source: str, options: ReadOptions, *, meter: Meter, on_skipped: OnSkipped
) -> Iterator[Document]:
    if source.startswith(HUB_PREFIX):
        yield from read_hub(source, options, on_skipped=on_skipped)
    elif source.startswith(FIXTURE_PREFIX):
        yield from _fixture(source)
    elif options.format == "yelp" or (options.format is None and is_yelp(source)):
        yield from read_yelp(source, options, meter=meter, on_skipped=on_skipped)
    else:
        for file in open_files(source, meter):
            reader = _READERS[options.format or detect_format(file, options)]
            yield from reader(file, options, on_skipped=on_skipped)


def _size(source: str) -> int | None:
    """Return a source's size, None where it has none; raise where it cannot be a source."""
    if source.startswith(HUB_PREFIX):
        if not source.removeprefix(HUB_PREFIX).strip("/"):
            raise UsageError(f"{source}: no dataset named. Try hf:NAME or hf:NAME/CONFIG.")
        return None
    if source.startswith(FIXTURE_PREFIX):
        _fixture_count(source)
        return None
    return file_size(source)


def _fixture(source: str) -> Iterator[Document]:
    from tersely.corpus.fixture import fixture_sentences

    for number, sentence in enumerate(fixture_sentences(_fixture_count(source)), start=1):
        yield Document(sentence, f"fixture, sentence {number}")


def _fixture_count(source: str) -> int:
    count = source.removeprefix(FIXTURE_PREFIX)
    if not count:
        return _FIXTURE_SENTENCES
    if not (count.isascii() and count.isdigit() and int(count) > 0):
        raise UsageError(f"{source}: not a count of sentences. Try {FIXTURE_PREFIX}20000.")
    return int(count)


def _encodable(document: Document) -> Document:
    """Replace halves of characters, which JSON can spell but no file can hold."""
    try:
        document.text.encode()
    except UnicodeEncodeError:
        whole = document.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return Document(whole, document.place)
    return document


def _ignore(place: str) -> None:
    """Do nothing where nobody asked for the documents left out."""
