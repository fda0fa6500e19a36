import bz2
import gzip
import io
import lzma
import sys
import tracemalloc

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tersely.corpus.formats.compression import (
    compression_of,
    compression_promised_by,
    decompressed,
    without_compression_suffix,
)
from tersely.corpus.formats.streams import RawFile
from tersely.errors import TerselyError, UsageError

COMPRESS = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard.ZstdCompressor(write_checksum=True).compress,  # as the zstd command does
}
KINDS = pytest.mark.parametrize("kind", COMPRESS)
PROSE = "".join(f"Line {n} of some prose.\n" for n in range(20_000)).encode()


def compressed_file(data, name="a.txt.gz"):
    return RawFile(shown=name, name=name, stream=io.BufferedReader(io.BytesIO(data)))


def unpack(data, kind):
    return decompressed(compressed_file(data), kind).stream.read()


@KINDS
@given(data=st.binary(max_size=300))
def test_what_was_compressed_comes_back(kind, data):
    packed = COMPRESS[kind](data)
    assert compression_of(packed) == kind
    assert unpack(packed, kind) == data


@KINDS
def test_parts_compressed_one_by_one_are_one_file(kind):
    compress = COMPRESS[kind]
    assert unpack(compress(b"one\n") + compress(b"two\n"), kind) == b"one\ntwo\n"


@KINDS
@pytest.mark.parametrize("share", [0.3, 0.9, 0.999])
def test_a_file_cut_short_is_told_as_such(kind, share):
    packed = COMPRESS[kind](PROSE)
    with pytest.raises(TerselyError, match=r"^a\.txt\.gz: the \w+ data ends too early.*again\.$"):
        unpack(packed[: int(len(packed) * share)], kind)


@KINDS
def test_a_damaged_file_is_told_as_such(kind):
    packed = bytearray(COMPRESS[kind](PROSE))
    middle = len(packed) // 2
    packed[middle : middle + 64] = bytes(64)
    with pytest.raises(TerselyError, match=r"^a\.txt\.gz: "):
        unpack(bytes(packed), kind)


def test_a_zstd_frame_for_others_to_read_is_passed_over():
    note = b"\x50\x2a\x4d\x18\x04\x00\x00\x00note"
    packed = note + zstandard.compress(b"text")
    assert compression_of(packed) == "zstd"
    assert unpack(packed, "zstd") == b"text"


def test_a_zstd_bomb_is_read_piece_by_piece():
    packed = zstandard.compress(bytes(1 << 28))
    stream = decompressed(compressed_file(packed), "zstd").stream
    tracemalloc.start()
    try:
        total = sum(len(chunk) for chunk in iter(lambda: stream.read(1 << 16), b""))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert total == 1 << 28
    assert peak < 100 << 20


def test_zstd_without_its_library_says_what_to_install(monkeypatch):
    packed = zstandard.compress(b"text")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(UsageError, match=r'pip install "tersely\[train\]"'):
        unpack(packed, "zstd")


@pytest.mark.parametrize("text", [b"", b"BZh is an odd word.", b"PK", b"plain text"])
def test_text_is_not_taken_for_compressed(text):
    assert compression_of(text) is None


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
def test_a_name_tells_compression_and_what_is_inside(name, inside, kind):
    assert without_compression_suffix(name) == inside
    assert compression_promised_by(name) == kind
