"""Files for the readers, made in memory."""

import io
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from tersely.corpus.document import Document, OnSkip, ReadOptions
from tersely.corpus.streams import CHUNK_BYTES, RawFile


def raw_file(data: bytes | str, name: str = "corpus.txt") -> RawFile:
    content = data.encode() if isinstance(data, str) else data
    stream = io.BufferedReader(io.BytesIO(content), CHUNK_BYTES)
    return RawFile(label=name, name=name, stream=stream)  # type: ignore[arg-type]


class Reader(Protocol):
    def __call__(
        self, file: RawFile, options: ReadOptions, /, *, on_skip: OnSkip
    ) -> Iterator[Document]: ...


class Reading:
    """The documents that a reader yields, and the locations it skips."""

    def __init__(self, reader: Reader, file: RawFile, **options: Any) -> None:
        self.skipped: list[str] = []
        self.documents = list(reader(file, ReadOptions(**options), on_skip=self.skipped.append))
        self.texts = [document.text for document in self.documents]
        self.locations = [document.location for document in self.documents]


def read(reader: Reader, data: bytes | str, name: str = "corpus.txt", **options: Any) -> Reading:
    return Reading(reader, raw_file(data, name), **options)


def zip_bytes(members: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def tar_bytes(members: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()
