import gzip
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.corpus.formats.compression import decompressed
from tersely.corpus.formats.lines import read_lines, read_pieces
from tersely.corpus.formats.options import ReadOptions
from tersely.errors import UsageError


def lines_of(file, **options):
    skipped = []
    lines = read_lines(file, ReadOptions(**options), on_skipped=skipped.append)
    return [(line.number, line.text) for line in lines], skipped


LINE = st.text(st.characters(exclude_characters="\n\r\0", exclude_categories=["Cs"]), max_size=12)


@given(st.lists(LINE), st.sampled_from(["\n", "\r\n"]), st.integers(1, 12), st.booleans())
def test_lines_up_to_the_limit_are_read_and_the_others_told(raw_file, lines, end, limit, closed):
    text = end.join(lines) + (end if closed else "")
    text = text.removeprefix("\ufeff")
    lines = text.split(end)
    if not lines[-1]:
        lines.pop()
    fits = {n: line for n, line in enumerate(lines, start=1) if len(line.encode()) <= limit}
    read, skipped = lines_of(raw_file(text, "a"), max_document_bytes=limit)
    assert dict(read) == fits
    assert skipped == [f"a, line {n}" for n in range(1, len(lines) + 1) if n not in fits]


def test_a_line_of_fifty_megabytes_is_passed_over_in_little_memory(raw_file):
    packed = gzip.compress(b"short\n" + b"x" * (50 << 20) + b"\nafter\n", compresslevel=1)
    file = decompressed(raw_file(packed), "gzip")
    tracemalloc.start()
    try:
        read, skipped = lines_of(file)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert read == [(1, "short"), (3, "after")]
    assert skipped == ["corpus.txt, line 2"]
    assert peak < 8 << 20


def test_a_byte_that_is_not_utf8_is_told_with_its_line(raw_file):
    file = raw_file("fine\ncaf\xe9\n".encode("latin-1"), "notes.txt")
    with pytest.raises(UsageError, match=r"^notes\.txt, line 2: byte 0xe9 .*--encoding latin-1"):
        lines_of(file)


def test_another_encoding_can_be_named(raw_file):
    file = raw_file("fine\ncaf\xe9\n".encode("latin-1"))
    assert lines_of(file, encoding="latin-1")[0] == [(1, "fine"), (2, "café")]


def test_a_byte_order_mark_is_no_text(raw_file):
    assert lines_of(raw_file("\ufeffone\n"))[0] == [(1, "one")]


def test_a_binary_file_is_told_as_such(raw_file):
    with pytest.raises(UsageError, match=r"^a\.bin, line 1: holds NUL bytes"):
        lines_of(raw_file(b"\x01\x00\x02", "a.bin"))


@pytest.mark.parametrize(
    ("head", "what"), [(b"%PDF-1.7\n%\xe2\xe3", "a PDF"), (b"\x89PNG\r\n", "a picture")]
)
def test_well_known_files_that_are_not_text_are_named(raw_file, head, what):
    with pytest.raises(UsageError, match=f"this is {what}, not text"):
        lines_of(raw_file(head))


def test_utf16_is_recognised_by_its_mark(raw_file):
    data = "text".encode("utf-16")
    with pytest.raises(UsageError, match="Try --encoding utf-16"):
        lines_of(raw_file(data))
    assert lines_of(raw_file(data), encoding="utf-16")[0] == [(1, "text")]


def test_pieces_of_a_long_line_keep_its_number(raw_file):
    pieces = list(read_pieces(raw_file(b"a\n" + b"x" * 100_000 + b"\nb").stream))
    assert [piece.number for piece in pieces] == [1, 2, 2, 3]
    assert [piece.ends_line for piece in pieces] == [True, False, True, False]
