import dataclasses

import pytest

from tersely.corpus.document import Document, ReadOptions, closest_match
from tersely.corpus.formats import FORMATS
from tersely.errors import UsageError


def test_a_document_cannot_be_changed() -> None:
    document = Document("Hello.", "a.txt, line 1")
    with pytest.raises(dataclasses.FrozenInstanceError):
        document.text = "Bye."  # type: ignore[misc]


def test_the_defaults_are_accepted() -> None:
    options = ReadOptions()
    assert options.format is None
    assert options.categories == ("Restaurants",)


def test_every_format_is_accepted_by_its_name() -> None:
    for name in FORMATS:
        assert ReadOptions(format=name).format == name


@pytest.mark.parametrize(
    ("wrong", "meant"), [("txt", "text"), ("mbox", "mailbox"), ("JSON", "jsonl"), ("csb", "csv")]
)
def test_the_error_for_an_unknown_format_suggests_the_closest_one(wrong: str, meant: str) -> None:
    with pytest.raises(UsageError, match=rf'format "{wrong}".*Did you mean {meant}\?'):
        ReadOptions(format=wrong)


def test_the_error_for_an_unknown_format_lists_the_formats() -> None:
    with pytest.raises(UsageError, match=r"choose from text, csv, .*, mailbox\.$"):
        ReadOptions(format="zzzzzz")


def test_the_error_for_an_unknown_unit_suggests_the_closest_one() -> None:
    with pytest.raises(UsageError, match="Did you mean paragraph"):
        ReadOptions(unit="paragraphs")


@pytest.mark.parametrize("encoding", ["utf8", "latin-1", "UTF-16", "cp1252"])
def test_every_name_of_an_encoding_is_accepted(encoding: str) -> None:
    assert ReadOptions(encoding=encoding).encoding == encoding


@pytest.mark.parametrize("encoding", ["latin-l", "rot13", "hex", "", "utf-8\0", "undefined"])
def test_other_encodings_are_rejected(encoding: str) -> None:
    with pytest.raises(UsageError, match="Try --encoding"):
        ReadOptions(encoding=encoding)


def test_the_maximum_document_size_must_be_positive() -> None:
    with pytest.raises(UsageError, match="at least 1"):
        ReadOptions(max_document_bytes=0)


def test_the_closest_match_ignores_case() -> None:
    assert closest_match("resturants", ["Nightlife", "Restaurants"]) == "Restaurants"
    assert closest_match("qqq", ["Nightlife"]) is None
