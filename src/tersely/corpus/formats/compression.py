"""Compressed files: known by their first bytes, read as a stream.

Each yields one file. Files that hold several files are archives.py's job.
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

from tersely.corpus.formats.streams import CHUNK_BYTES, RawFile, stream_of
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
_DAMAGE = (
    EOFError,
    OSError,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
)
# A zstd block of 4 bytes can stand for 128 KiB: 1 KiB in is at most 32 MiB out.
_ZSTD_CHUNK_BYTES = 1 << 10


class Readable(Protocol):
    """Anything that hands out bytes."""

    def read(self, size: int = ..., /) -> bytes:
        """Return up to `size` bytes; none at the end."""
        ...


def compression_of(head: bytes) -> str | None:
    """Tell the compression from a file's first bytes."""
    for kind, signature in _SIGNATURES.items():
        if signature.match(head):
            return kind
    return None


def compression_promised_by(name: str) -> str | None:
    """Tell the compression from a file's name."""
    return _SUFFIXES.get(PurePosixPath(name.lower()).suffix, (None, ""))[0]


def without_compression_suffix(name: str) -> str:
    """Name what is inside: reviews.csv for reviews.csv.gz, yelp.tar for yelp.tgz."""
    suffix = PurePosixPath(name).suffix
    if suffix.lower() not in _SUFFIXES:
        return name
    return name.removesuffix(suffix) + _SUFFIXES[suffix.lower()][1]


def decompressed(file: RawFile, kind: str) -> RawFile:
    """Open what the compressed file holds."""
    inner = _decompressor(file.stream, kind)
    return RawFile(
        shown=file.shown,
        name=without_compression_suffix(file.name),
        stream=stream_of(chunks_or_damage(inner, shown=file.shown, kind=kind)),
        member=file.member,
    )


def chunks_or_damage(inner: Readable, *, shown: str, kind: str) -> Iterator[bytes]:
    """Read to the end, telling damage as an error that names the file."""
    while True:
        try:
            chunk = inner.read(CHUNK_BYTES)
        except _DAMAGE as error:
            raise damage(error, shown=shown, kind=kind) from error
        if not chunk:
            return
        yield chunk


def damage(error: Exception, *, shown: str, kind: str) -> TerselyError:
    """Say that a compressed file or archive is cut short or damaged, and what to do."""
    if isinstance(error, EOFError) or "end of data" in str(error):
        return TerselyError(
            f"{shown}: the {kind} data ends too early, as of a download cut short. "
            "Fetch or make the file again."
        )
    return TerselyError(f"{shown}: damaged {kind} data ({error}). Fetch or make the file again.")


def _decompressor(stream: io.BufferedReader, kind: str) -> Readable:
    if kind == "gzip":
        return gzip.GzipFile(fileobj=stream)
    if kind == "bzip2":
        return bz2.BZ2File(stream)
    if kind == "xz":
        return lzma.LZMAFile(stream)
    return stream_of(_zstd_chunks(stream))


def _zstd_chunks(stream: io.BufferedReader) -> Iterator[bytes]:
    try:
        import zstandard
    except ImportError:
        raise UsageError(
            'reading .zst files takes zstandard: pip install "tersely[train]", '
            "or decompress them first with zstd -d."
        ) from None
    # zstandard's own reader takes a cut-off frame for a finished one, hence frame by frame.
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
