import pytest

from tersely.corpus.formats.options import FORMATS, ReadOptions, nearest
from tersely.errors import UsageError


def test_the_defaults_are_accepted():
    options = ReadOptions()
    assert options.format is None
    assert options.categories == ("Restaurants",)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_accepted_by_its_name(name):
    assert ReadOptions(format=name).format == name


@pytest.mark.parametrize(
    ("wrong", "meant"), [("txt", "text"), ("mbox", "mailbox"), ("JSON", "jsonl"), ("csb", "csv")]
)
def test_an_unknown_format_names_the_nearest_one(wrong, meant):
    with pytest.raises(UsageError, match=rf'format "{wrong}".*Did you mean {meant}\?'):
        ReadOptions(format=wrong)


def test_a_format_like_none_lists_those_there_are():
    with pytest.raises(UsageError, match=r"known are text, csv, .*, mailbox\.$"):
        ReadOptions(format="zzzzzz")


def test_an_unknown_unit_names_the_nearest_one():
    with pytest.raises(UsageError, match="Did you mean paragraph"):
        ReadOptions(unit="paragraphs")


@pytest.mark.parametrize("encoding", ["utf8", "latin-1", "UTF-16", "cp1252"])
def test_encodings_go_by_any_of_their_names(encoding):
    assert ReadOptions(encoding=encoding).encoding == encoding


@pytest.mark.parametrize("encoding", ["latin-l", "rot13", "hex", "", "utf-8\0", "undefined"])
def test_what_is_no_text_encoding_is_refused(encoding):
    with pytest.raises(UsageError, match="Try --encoding"):
        ReadOptions(encoding=encoding)


def test_documents_must_be_allowed_some_length():
    with pytest.raises(UsageError, match="at least 1"):
        ReadOptions(max_document_bytes=0)


def test_the_nearest_word_is_found_whatever_its_case():
    assert nearest("resturants", ["Nightlife", "Restaurants"]) == "Restaurants"
    assert nearest("qqq", ["Nightlife"]) is None
