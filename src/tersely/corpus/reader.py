"""Read documents from sources of any format, in order.

A source is a file, a dataset of the Hugging Face hub (hf:NAME) or the fixture corpus
(fixture:COUNT). This module selects the format reader for each file; formats/ contains the
readers.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Protocol

from tersely.corpus.document import Document, OnSkip, ReadOptions
from tersely.corpus.formats import SUFFIXES
from tersely.corpus.formats.hub import PREFIX as HUB_PREFIX
from tersely.corpus.formats.hub import read_hub
from tersely.corpus.formats.json import read_jsonlines
from tersely.corpus.formats.mail import is_separator, read_mailbox
from tersely.corpus.formats.pairs import looks_like_pairs, read_pairs
from tersely.corpus.formats.parquet import MAGIC as PARQUET_MAGIC
from tersely.corpus.formats.parquet import read_parquet
from tersely.corpus.formats.tables import read_csv, read_tsv
from tersely.corpus.formats.text import read_plain
from tersely.corpus.formats.yelp import is_yelp, read_yelp
from tersely.corpus.open import file_size, open_files
from tersely.corpus.streams import ByteMeter, RawFile
from tersely.errors import UsageError

__all__ = ["Document", "ReadOptions", "read_documents", "total_bytes"]

FIXTURE_PREFIX = "fixture:"
_DEFAULT_FIXTURE_SENTENCES = 20_000
_MAX_SOURCES_SHOWN = 3
_MAX_DETECTION_LINES = 5
FORMAT_OF_SUFFIX = {suffix: name for name, suffixes in SUFFIXES.items() for suffix in suffixes}


class Reader(Protocol):
    """Reads the documents of one file."""

    def __call__(
        self, file: RawFile, options: ReadOptions, /, *, on_skip: OnSkip
    ) -> Iterator[Document]:
        """Yield the documents in the order of the file."""
        ...


READERS: dict[str, Reader] = {
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
    on_skip: OnSkip | None = None,
) -> Iterator[Document]:
    """Read the sources in order; their names are checked at once, the rest while reading.

    `on_bytes` receives the number of bytes on disk as they are read; the sum is
    `total_bytes(sources)`. `on_skip` receives the location of each document longer than
    `options.max_document_bytes`.
    """
    if not sources:
        raise UsageError("nothing to read: name at least one file, hf:DATASET or fixture:COUNT.")
    for source in sources:
        _source_size(source)
    return _documents(sources, options, on_bytes=on_bytes, on_skip=on_skip or _ignore)


def total_bytes(sources: Sequence[str]) -> int | None:
    """Return the size of all sources on disk; None if the size of one is unknown."""
    sizes = [_source_size(source) for source in sources]
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


def detect_format(file: RawFile, options: ReadOptions) -> str:
    """Return the format of a file, by its name and its first lines."""
    by_name = FORMAT_OF_SUFFIX.get(PurePosixPath(file.name.lower()).suffix)
    if by_name not in (None, "text", "tsv"):
        return by_name
    head = file.stream.peek(1)
    if by_name != "tsv" and is_separator(head.partition(b"\n")[0]):
        return "mailbox"
    if by_name is None and head.startswith(PARQUET_MAGIC):
        return "parquet"
    if looks_like_pairs(_complete_lines(head, options.encoding)):
        return "pairs"
    if by_name is None and options.column is not None:
        raise UsageError(
            f"{file.label}: its name does not indicate a format with columns. "
            "Name the format with --format csv, tsv, jsonl or parquet."
        )
    return by_name or "text"


def _complete_lines(head: bytes, encoding: str) -> list[str]:
    text = head.decode(encoding, "ignore")
    if "\n" in text:
        text = text[: text.rindex("\n")]  # the last line may be incomplete
    return text.split("\n")[:_MAX_DETECTION_LINES]


def _documents(
    sources: Sequence[str],
    options: ReadOptions,
    *,
    on_bytes: Callable[[int], None] | None,
    on_skip: OnSkip,
) -> Iterator[Document]:
    is_empty = True
    for source in sources:
        meter = ByteMeter(_source_size(source), on_bytes)
        for document in _source_documents(source, options, meter=meter, on_skip=on_skip):
            is_empty = False
            yield _encodable(document)
        meter.finish()
    if is_empty:
        hidden = len(sources) - _MAX_SOURCES_SHOWN
        more = f" and {hidden} more" if hidden > 0 else ""
        raise UsageError(
            f"no text in {', '.join(sources[:_MAX_SOURCES_SHOWN])}{more}. "
            "Name files that contain text."
        )


def _source_documents(
    source: str, options: ReadOptions, *, meter: ByteMeter, on_skip: OnSkip
) -> Iterator[Document]:
    if source.startswith(HUB_PREFIX):
        yield from read_hub(source, options, on_skip=on_skip)
    elif source.startswith(FIXTURE_PREFIX):
        yield from _fixture_documents(source)
    elif options.format == "yelp" or (options.format is None and is_yelp(source)):
        yield from read_yelp(source, options, meter=meter, on_skip=on_skip)
    else:
        for file in open_files(source, meter):
            reader = READERS[options.format or detect_format(file, options)]
            yield from reader(file, options, on_skip=on_skip)


def _source_size(source: str) -> int | None:
    """Return the size of a source, None if unknown; raise UsageError for an invalid source."""
    if source.startswith(HUB_PREFIX):
        if not source.removeprefix(HUB_PREFIX).strip("/"):
            raise UsageError(f"{source}: names no dataset. Try hf:NAME or hf:NAME/CONFIG.")
        return None
    if source.startswith(FIXTURE_PREFIX):
        _fixture_count(source)
        return None
    return file_size(source)


def _fixture_documents(source: str) -> Iterator[Document]:
    from tersely.corpus.fixture import fixture_sentences

    for number, sentence in enumerate(fixture_sentences(_fixture_count(source)), start=1):
        yield Document(sentence, f"fixture, sentence {number}")


def _fixture_count(source: str) -> int:
    count = source.removeprefix(FIXTURE_PREFIX)
    if not count:
        return _DEFAULT_FIXTURE_SENTENCES
    if not (count.isascii() and count.isdigit() and int(count) > 0):
        raise UsageError(f"{source}: not a number of sentences. Try {FIXTURE_PREFIX}20000.")
    return int(count)


def _encodable(document: Document) -> Document:
    """Replace lone surrogates, which JSON can contain but UTF-8 cannot."""
    try:
        document.text.encode()
    except UnicodeEncodeError:
        text = document.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return Document(text, document.location)
    return document


def _ignore(location: str) -> None:
    """Do nothing with the location of a skipped document."""
