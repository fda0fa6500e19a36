"""Compressed files: detected by their first bytes, read as a stream.

A compressed file contains one file. Files that contain several are archives; see open.py.
"""

import bz2
import gzip
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Protocol

from tersely.corpus.streams import CHUNK_BYTES, RawFile, stream_from_chunks
from tersely.errors import TerselyError, UsageError

_SIGNATURES = {
    "gzip": re.compile(rb"\x1f\x8b\x08"),
    "bzip2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17\x72\x45\x38\x50\x90)"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"),
}
_SUFFIXES = {
    ".gz": ("gzip", ""),
    ".tgz": ("gzip", ".tar"),
    ".bz2": ("bzip2", ""),
    ".tbz2": ("bzip2", ".tar"),
    ".xz": ("xz", ""),
    ".txz": ("xz", ".tar"),
    ".zst": ("zstd", ""),
}
_DECODING_ERRORS = (
    EOFError,
    OSError,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
)
# A zstd block of 4 bytes can expand to 128 KiB: 1 KiB of input is at most 32 MiB of output.
_ZSTD_CHUNK_BYTES = 1 << 10


class Readable(Protocol):
    """Anything with a `read` method for bytes."""

    def read(self, size: int = ..., /) -> bytes:
        """Return up to `size` bytes; empty at the end."""
        ...


def detect_compression(head: bytes) -> str | None:
    """Return the compression that a file's first bytes indicate."""
    for kind, signature in _SIGNATURES.items():
        if signature.match(head):
            return kind
    return None


def compression_of_name(name: str) -> str | None:
    """Return the compression that a file's name indicates."""
    return _SUFFIXES.get(PurePosixPath(name.lower()).suffix, (None, ""))[0]


def without_compression_suffix(name: str) -> str:
    """Return the name of the file inside: reviews.csv for reviews.csv.gz, yelp.tar for yelp.tgz."""
    suffix = PurePosixPath(name).suffix
    if suffix.lower() not in _SUFFIXES:
        return name
    return name.removesuffix(suffix) + _SUFFIXES[suffix.lower()][1]


def decompress(file: RawFile, kind: str) -> RawFile:
    """Return the file inside a compressed file."""
    decompressor = _decompressor(file.stream, kind)
    return RawFile(
        label=file.label,
        name=without_compression_suffix(file.name),
        stream=stream_from_chunks(read_chunks(decompressor, label=file.label, kind=kind)),
        is_member=file.is_member,
    )


def read_chunks(source: Readable, *, label: str, kind: str) -> Iterator[bytes]:
    """Yield chunks to the end; raise TerselyError with the file's name if the data is damaged."""
    while True:
        try:
            chunk = source.read(CHUNK_BYTES)
        except _DECODING_ERRORS as error:
            raise damaged_data_error(error, label=label, kind=kind) from error
        if not chunk:
            return
        yield chunk


def damaged_data_error(error: Exception, *, label: str, kind: str) -> TerselyError:
    """Return the error for a truncated or damaged compressed file or archive."""
    if isinstance(error, EOFError) or "end of data" in str(error):
        return TerselyError(
            f"{label}: the {kind} data ends too early; the file may be an incomplete download. "
            "Download or create it again."
        )
    return TerselyError(f"{label}: damaged {kind} data ({error}). Download or create it again.")


def _decompressor(stream: io.BufferedReader, kind: str) -> Readable:
    if kind == "gzip":
        return gzip.GzipFile(fileobj=stream)
    if kind == "bzip2":
        return bz2.BZ2File(stream)
    if kind == "xz":
        return lzma.LZMAFile(stream)
    return stream_from_chunks(_zstd_chunks(stream))


def _zstd_chunks(stream: io.BufferedReader) -> Iterator[bytes]:
    try:
        import zstandard
    except ImportError:
        raise UsageError(
            'Reading .zst files requires zstandard: pip install "tersely[train]", '
            "or decompress them first with zstd -d."
        ) from None
    # The reader of zstandard accepts a truncated frame as complete, so frames are read one by one.
    pending = b""
    while pending or (pending := stream.read(_ZSTD_CHUNK_BYTES)):
        frame = zstandard.ZstdDecompressor().decompressobj()
        while not frame.eof:
            if not pending and not (pending := stream.read(_ZSTD_CHUNK_BYTES)):
                raise EOFError("the last frame is incomplete")
            try:
                yield frame.decompress(pending)
            except zstandard.ZstdError as error:
                raise OSError(str(error)) from error
            pending = frame.unused_data
