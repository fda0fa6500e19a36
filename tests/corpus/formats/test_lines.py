import gzip
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.corpus.compression import decompress
from tersely.corpus.document import ReadOptions
from tersely.corpus.formats.lines import as_utf8, read_line_chunks, read_lines
from tersely.corpus.streams import RawFile
from tersely.errors import UsageError
from tests.corpus.files import raw_file


def lines_of(file: RawFile, **options: Any) -> tuple[list[tuple[int, str]], list[str]]:
    skipped: list[str] = []
    lines = read_lines(file, ReadOptions(**options), on_skip=skipped.append)
    return [(line.number, line.text) for line in lines], skipped


LINE = st.text(st.characters(exclude_characters="\n\r\0", exclude_categories=["Cs"]), max_size=12)


@given(st.lists(LINE), st.sampled_from(["\n", "\r\n"]), st.integers(1, 12), st.booleans())
def test_lines_up_to_the_limit_are_read_and_the_others_reported(
    lines: list[str], end: str, limit: int, closed: bool
) -> None:
    text = end.join(lines) + (end if closed else "")
    text = text.removeprefix("\ufeff")
    lines = text.split(end)
    if not lines[-1]:
        lines.pop()
    fits = {n: line for n, line in enumerate(lines, start=1) if len(line.encode()) <= limit}
    read, skipped = lines_of(raw_file(text, "a"), max_document_bytes=limit)
    assert dict(read) == fits
    assert skipped == [f"a, line {n}" for n in range(1, len(lines) + 1) if n not in fits]


def test_a_line_of_fifty_megabytes_is_skipped_in_little_memory() -> None:
    packed = gzip.compress(b"short\n" + b"x" * (50 << 20) + b"\nafter\n", compresslevel=1)
    file = decompress(raw_file(packed), "gzip")
    tracemalloc.start()
    try:
        read, skipped = lines_of(file)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert read == [(1, "short"), (3, "after")]
    assert skipped == ["corpus.txt, line 2"]
    assert peak < 8 << 20


def test_a_byte_that_is_not_utf8_is_reported_with_its_line() -> None:
    file = raw_file("fine\ncaf\xe9\n".encode("latin-1"), "notes.txt")
    with pytest.raises(UsageError, match=r"^notes\.txt, line 2: byte 0xe9 .*--encoding latin-1"):
        lines_of(file)


def test_another_encoding_can_be_named() -> None:
    file = raw_file("fine\ncaf\xe9\n".encode("latin-1"))
    assert lines_of(file, encoding="latin-1")[0] == [(1, "fine"), (2, "café")]


def test_a_byte_order_mark_is_not_text() -> None:
    assert lines_of(raw_file("\ufeffone\n"))[0] == [(1, "one")]


def test_a_binary_file_is_reported() -> None:
    with pytest.raises(UsageError, match=r"^a\.bin, line 1: contains NUL bytes"):
        lines_of(raw_file(b"\x01\x00\x02", "a.bin"))


@pytest.mark.parametrize(
    ("head", "what"), [(b"%PDF-1.7\n%\xe2\xe3", "a PDF"), (b"\x89PNG\r\n", "a picture")]
)
def test_well_known_files_that_are_not_text_are_named(head: bytes, what: str) -> None:
    with pytest.raises(UsageError, match=f"this is {what}, not text"):
        lines_of(raw_file(head))


def test_utf16_is_recognised_by_its_mark() -> None:
    data = "text".encode("utf-16")
    with pytest.raises(UsageError, match="Try --encoding utf-16"):
        lines_of(raw_file(data))
    assert lines_of(raw_file(data), encoding="utf-16")[0] == [(1, "text")]


def test_chunks_of_a_long_line_have_its_number() -> None:
    chunks = list(read_line_chunks(raw_file(b"a\n" + b"x" * 100_000 + b"\nb").stream))
    assert [chunk.number for chunk in chunks] == [1, 2, 2, 3]
    assert [chunk.ends_line for chunk in chunks] == [True, False, True, False]


TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-32", "gb18030"])
@given(text=TEXT.filter(lambda text: not text.startswith("\ufeff")))
def test_text_in_any_encoding_becomes_utf8(encoding: str, text: str) -> None:
    stream = as_utf8(raw_file(text.encode(encoding)), encoding)
    assert stream.read() == text.encode()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_removed(encoding: str) -> None:
    assert as_utf8(raw_file("text".encode(encoding)), encoding).read() == b"text"
    assert as_utf8(raw_file("text".encode("utf-8-sig")), "utf-8").read() == b"text"


def test_a_character_across_two_chunks_stays_whole() -> None:
    text = "x" + "é" * (1 << 16)
    assert as_utf8(raw_file(text.encode("utf-16-le")), "utf-16-le").read() == text.encode()


def test_what_is_not_in_the_encoding_is_reported_with_its_line() -> None:
    file = raw_file("one\ntwo\nthré\n".encode("latin-1"), "a.txt")
    with pytest.raises(UsageError, match=r"^a\.txt, line 3: not ascii text.*--encoding"):
        as_utf8(file, "ascii").read()


def test_the_line_is_right_far_into_the_file() -> None:
    file = raw_file(b"a line of text\n" * 10_000 + b"\xe9\n", "a.txt")
    with pytest.raises(UsageError, match=r"^a\.txt, line 10001:"):
        as_utf8(file, "ascii").read()
