import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.corpus.formats.transcoding import as_utf8
from tersely.errors import UsageError

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-32", "gb18030"])
@given(text=TEXT.filter(lambda text: not text.startswith("\ufeff")))
def test_text_in_any_encoding_arrives_as_utf8(raw_file, encoding, text):
    stream = as_utf8(raw_file(text.encode(encoding)), encoding)
    assert stream.read() == text.encode()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_taken_off(raw_file, encoding):
    assert as_utf8(raw_file("text".encode(encoding)), encoding).read() == b"text"
    assert as_utf8(raw_file("text".encode("utf-8-sig")), "utf-8").read() == b"text"


def test_a_character_across_two_chunks_stays_whole(raw_file):
    text = "x" + "é" * (1 << 16)
    assert as_utf8(raw_file(text.encode("utf-16-le")), "utf-16-le").read() == text.encode()


def test_what_is_not_in_the_encoding_is_told_with_its_line(raw_file):
    file = raw_file("one\ntwo\nthré\n".encode("latin-1"), "a.txt")
    with pytest.raises(UsageError, match=r"^a\.txt, line 3: not ascii text.*--encoding"):
        as_utf8(file, "ascii").read()


def test_the_line_is_right_far_into_the_file(raw_file):
    file = raw_file(b"a line of text\n" * 10_000 + b"\xe9\n", "a.txt")
    with pytest.raises(UsageError, match=r"^a\.txt, line 10001:"):
        as_utf8(file, "ascii").read()
