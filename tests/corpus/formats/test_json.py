import pytest

from tersely.corpus.formats.json import read_jsonlines
from tersely.errors import UsageError


def test_the_text_of_each_object_is_read(read):
    reading = read(read_jsonlines, '{"text": "Hi.", "n": 1}\n\n{"text": "Bye."}\n', "a.jsonl")
    assert reading.texts == ["Hi.", "Bye."]
    assert reading.places == ["a.jsonl, line 1", "a.jsonl, line 3"]


def test_an_only_key_needs_no_name(read):
    assert read(read_jsonlines, '{"body": "Hi."}\n').texts == ["Hi."]


def test_a_path_leads_into_objects(read):
    line = '{"review": {"body": {"en": "Hi."}}, "id": 1}'
    assert read(read_jsonlines, line, column="review.body.en").texts == ["Hi."]


def test_a_key_with_a_dot_is_a_key(read):
    assert read(read_jsonlines, '{"a.b": "Hi.", "a": {"b": "No."}}', column="a.b").texts == ["Hi."]


def test_null_and_empty_text_are_passed_over(read):
    assert read(read_jsonlines, '{"text": null}\n{"text": " "}\n{"text": "x"}').texts == ["x"]


def test_a_line_that_is_not_json_is_told_with_place_and_column(read):
    with pytest.raises(UsageError) as caught:
        read(read_jsonlines, '{"text": "a"}\n{"a": }\n', "reviews.json")
    assert str(caught.value).startswith(
        "reviews.json, line 2: not JSON (Expecting value at column 7)."
    )


@pytest.mark.parametrize("line", ['["a"]', '"text"', "3"])
def test_json_that_is_no_object_is_told(read, line):
    with pytest.raises(UsageError, match=r"^a\.json, line 1: JSON, but not an object.*jq -c"):
        read(read_jsonlines, line, "a.json")


@pytest.mark.parametrize("line", ["[" * 100_000, '{"text": ' + "1" * 10_000 + "}"])
def test_hostile_json_is_told_not_suffered(read, line):
    with pytest.raises(UsageError, match=r"^a\.json, line 1: not JSON"):
        read(read_jsonlines, line, "a.json")


def test_a_missing_key_is_told_with_the_paths_there_are(read):
    with pytest.raises(UsageError, match=r'no column "tekst"; columns are id, r\.text\.'):
        read(read_jsonlines, '{"id": 1, "r": {"text": "x"}}', column="tekst")


def test_a_path_through_what_is_no_object_is_missing(read):
    with pytest.raises(UsageError, match=r'no column "a\.b"'):
        read(read_jsonlines, '{"a": "x", "c": 1}', column="a.b")


def test_a_later_object_without_the_key_is_told_with_its_line(read):
    with pytest.raises(UsageError, match=r'^a\.json, line 2: no column "text"'):
        read(read_jsonlines, '{"text": "x"}\n{"body": "x"}\n', "a.json")


def test_a_number_where_text_should_be_is_told(read):
    with pytest.raises(UsageError, match=r'column "stars" holds a number'):
        read(read_jsonlines, '{"stars": 5, "t": ""}', column="stars")
