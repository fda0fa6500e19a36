import pytest

from tersely.corpus.formats.json import read_jsonlines
from tersely.errors import UsageError
from tests.corpus.files import read


def test_the_text_of_each_object_is_read() -> None:
    reading = read(read_jsonlines, '{"text": "Hi.", "n": 1}\n\n{"text": "Bye."}\n', "a.jsonl")
    assert reading.texts == ["Hi.", "Bye."]
    assert reading.locations == ["a.jsonl, line 1", "a.jsonl, line 3"]


def test_an_only_key_is_the_default() -> None:
    assert read(read_jsonlines, '{"body": "Hi."}\n').texts == ["Hi."]


def test_a_path_leads_into_objects() -> None:
    line = '{"review": {"body": {"en": "Hi."}}, "id": 1}'
    assert read(read_jsonlines, line, column="review.body.en").texts == ["Hi."]


def test_a_key_with_a_dot_is_a_key() -> None:
    assert read(read_jsonlines, '{"a.b": "Hi.", "a": {"b": "No."}}', column="a.b").texts == ["Hi."]


def test_null_and_empty_text_are_skipped() -> None:
    assert read(read_jsonlines, '{"text": null}\n{"text": " "}\n{"text": "x"}').texts == ["x"]


def test_a_line_that_is_not_json_is_reported_with_line_and_column() -> None:
    with pytest.raises(UsageError) as caught:
        read(read_jsonlines, '{"text": "a"}\n{"a": }\n', "reviews.json")
    assert str(caught.value).startswith(
        "reviews.json, line 2: not JSON (Expecting value at column 7)."
    )


@pytest.mark.parametrize("line", ['["a"]', '"text"', "3"])
def test_json_that_is_not_an_object_is_reported(line: str) -> None:
    with pytest.raises(UsageError, match=r"^a\.json, line 1: JSON, but not an object.*jq -c"):
        read(read_jsonlines, line, "a.json")


@pytest.mark.parametrize("line", ["[" * 100_000, '{"text": ' + "1" * 10_000 + "}"])
def test_hostile_json_is_reported(line: str) -> None:
    with pytest.raises(UsageError, match=r"^a\.json, line 1: not JSON"):
        read(read_jsonlines, line, "a.json")


def test_the_error_for_a_missing_key_lists_the_paths() -> None:
    with pytest.raises(UsageError, match=r'no column "tekst"; columns are id, r\.text\.'):
        read(read_jsonlines, '{"id": 1, "r": {"text": "x"}}', column="tekst")


def test_a_path_through_a_string_is_missing() -> None:
    with pytest.raises(UsageError, match=r'no column "a\.b"'):
        read(read_jsonlines, '{"a": "x", "c": 1}', column="a.b")


def test_a_later_object_without_the_key_is_reported_with_its_line() -> None:
    with pytest.raises(UsageError, match=r'^a\.json, line 2: no column "text"'):
        read(read_jsonlines, '{"text": "x"}\n{"body": "x"}\n', "a.json")


def test_a_number_instead_of_text_is_reported() -> None:
    with pytest.raises(UsageError, match=r'column "stars" contains a number'):
        read(read_jsonlines, '{"stars": 5, "t": ""}', column="stars")
