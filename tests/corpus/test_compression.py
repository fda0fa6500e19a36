import bz2
import gzip
import lzma
import sys
import tracemalloc
from collections.abc import Callable

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tersely.corpus.compression import (
    compression_of_name,
    decompress,
    detect_compression,
    without_compression_suffix,
)
from tersely.corpus.streams import RawFile
from tersely.errors import TerselyError, UsageError
from tests.corpus.files import raw_file

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard.ZstdCompressor(write_checksum=True).compress,  # as the zstd command does
}
KINDS = pytest.mark.parametrize("kind", COMPRESS)
PROSE = "".join(f"Line {n} of some prose.\n" for n in range(20_000)).encode()


def compressed_file(data: bytes) -> RawFile:
    return raw_file(data, "a.txt.gz")


def unpack(data: bytes, kind: str) -> bytes:
    return decompress(compressed_file(data), kind).stream.read()


@KINDS
@given(data=st.binary(max_size=300))
def test_decompression_undoes_compression(kind: str, data: bytes) -> None:
    packed = COMPRESS[kind](data)
    assert detect_compression(packed) == kind
    assert unpack(packed, kind) == data


@KINDS
def test_concatenated_compressed_files_are_one_file(kind: str) -> None:
    compress = COMPRESS[kind]
    assert unpack(compress(b"one\n") + compress(b"two\n"), kind) == b"one\ntwo\n"


@KINDS
@pytest.mark.parametrize("share", [0.3, 0.9, 0.999])
def test_a_file_cut_short_is_reported(kind: str, share: float) -> None:
    packed = COMPRESS[kind](PROSE)
    with pytest.raises(TerselyError, match=r"^a\.txt\.gz: the \w+ data ends too early.*again\.$"):
        unpack(packed[: int(len(packed) * share)], kind)


@KINDS
def test_a_damaged_file_is_reported(kind: str) -> None:
    packed = bytearray(COMPRESS[kind](PROSE))
    middle = len(packed) // 2
    packed[middle : middle + 64] = bytes(64)
    with pytest.raises(TerselyError, match=r"^a\.txt\.gz: "):
        unpack(bytes(packed), kind)


def test_a_skippable_zstd_frame_is_skipped() -> None:
    note = b"\x50\x2a\x4d\x18\x04\x00\x00\x00note"
    packed = note + zstandard.compress(b"text")
    assert detect_compression(packed) == "zstd"
    assert unpack(packed, "zstd") == b"text"


def test_a_zstd_bomb_is_read_in_chunks() -> None:
    packed = zstandard.compress(bytes(1 << 28))
    stream = decompress(compressed_file(packed), "zstd").stream
    tracemalloc.start()
    try:
        total = sum(len(chunk) for chunk in iter(lambda: stream.read(1 << 16), b""))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert total == 1 << 28
    assert peak < 100 << 20


def test_zstd_without_its_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = zstandard.compress(b"text")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(UsageError, match=r'pip install "tersely\[train\]"'):
        unpack(packed, "zstd")


@pytest.mark.parametrize("text", [b"", b"BZh is an odd word.", b"PK", b"plain text"])
def test_text_is_not_detected_as_compressed(text: bytes) -> None:
    assert detect_compression(text) is None


@pytest.mark.parametrize(
    ("name", "inside", "kind"),
    [
        ("reviews.csv.gz", "reviews.csv", "gzip"),
        ("Yelp.TGZ", "Yelp.tar", "gzip"),
        ("a.tar.bz2", "a.tar", "bzip2"),
        ("a.jsonl.zst", "a.jsonl", "zstd"),
        ("notes.txt", "notes.txt", None),
        (".gz", ".gz", None),
    ],
)
def test_a_name_indicates_the_compression_and_the_file_inside(
    name: str, inside: str, kind: str
) -> None:
    assert without_compression_suffix(name) == inside
    assert compression_of_name(name) == kind
