import pytest

from tersely.corpus.formats.text import read_plain
from tests.corpus.files import read

TEXT = "One line.\n\n  \nTwo lines,\nthe second.\n\n\nThe end.\n"


def test_each_line_is_a_document_by_default() -> None:
    reading = read(read_plain, TEXT, "a.txt")
    assert reading.texts == ["One line.", "Two lines,", "the second.", "The end."]
    assert reading.locations[2] == "a.txt, line 5"


def test_paragraphs_are_separated_by_blank_lines() -> None:
    reading = read(read_plain, TEXT, "a.txt", unit="paragraph")
    assert reading.texts == ["One line.", "Two lines,\nthe second.", "The end."]
    assert reading.locations == ["a.txt, line 1", "a.txt, line 4", "a.txt, line 8"]


def test_a_file_can_be_one_document() -> None:
    assert read(read_plain, TEXT, unit="file").texts == [TEXT.rstrip("\n")]


@pytest.mark.parametrize("unit", ["line", "paragraph", "file"])
def test_blank_text_has_no_documents(unit: str) -> None:
    reading = read(read_plain, "\n  \n\r\n", unit=unit)
    assert reading.texts == reading.skipped == []


def test_a_paragraph_too_long_is_skipped_completely() -> None:
    reading = read(read_plain, "aaaa\nbbbb\ncc\n\nfine\n", unit="paragraph", max_document_bytes=9)
    assert reading.texts == ["fine"]
    assert reading.skipped == ["corpus.txt, line 1"]


def test_a_paragraph_as_long_as_allowed_is_kept() -> None:
    reading = read(read_plain, "aaaa\nbbbb\n\nfine\n", unit="paragraph", max_document_bytes=9)
    assert reading.texts == ["aaaa\nbbbb", "fine"]


def test_a_line_too_long_skips_only_its_paragraph() -> None:
    text = "good\n\nshort\n" + "x" * 50 + "\nshort\n\nalso good\n"
    reading = read(read_plain, text, unit="paragraph", max_document_bytes=20)
    assert reading.texts == ["good", "also good"]
    assert reading.skipped == ["corpus.txt, line 4"]


def test_a_file_too_long_is_skipped() -> None:
    reading = read(read_plain, "aaaa\n" * 5, unit="file", max_document_bytes=20)
    assert reading.texts == []
    assert reading.skipped == ["corpus.txt, line 1"]
