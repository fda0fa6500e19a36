"""Files for readers to read, without a disk."""

import io
from collections.abc import Callable, Iterator

import pytest

from tersely.corpus.formats.document import Document
from tersely.corpus.formats.options import ReadOptions
from tersely.corpus.formats.streams import CHUNK_BYTES, RawFile


def make_raw_file(data: bytes | str, name: str = "corpus.txt") -> RawFile:
    content = data.encode() if isinstance(data, str) else data
    return RawFile(
        shown=name, name=name, stream=io.BufferedReader(io.BytesIO(content), CHUNK_BYTES)
    )


class Reading:
    """What a reader made of a file: documents, and places left out."""

    def __init__(self, reader: Callable[..., Iterator[Document]], file: RawFile, **options):
        self.skipped: list[str] = []
        self.documents = list(reader(file, ReadOptions(**options), on_skipped=self.skipped.append))
        self.texts = [document.text for document in self.documents]
        self.places = [document.place for document in self.documents]


@pytest.fixture(scope="session")
def raw_file():
    return make_raw_file


@pytest.fixture(scope="session")
def read():
    def reading(reader, data, name="corpus.txt", **options):
        return Reading(reader, make_raw_file(data, name), **options)

    return reading
