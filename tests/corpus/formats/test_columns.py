import pytest

from tersely.corpus.formats.columns import cell_text, choose_column
from tersely.errors import UsageError


def test_the_column_text_is_the_default() -> None:
    assert choose_column(["id", "text"], None, location="a") == "text"


def test_an_only_column_is_the_default() -> None:
    assert choose_column(["whatever"], None, location="a") == "whatever"


def test_the_requested_column_is_chosen() -> None:
    assert choose_column(["id", "text", "body"], "body", location="a") == "body"


@pytest.mark.parametrize(
    ("columns", "requested", "suggestion"),
    [
        (["id", "body"], None, "body"),
        (["id", "Review_Text", "stars"], None, "Review_Text"),
        (["id", "Text"], None, "Text"),
        (["sentence", "body"], "sentnce", "sentence"),
        (["id", "remarks"], None, "remarks"),
    ],
)
def test_the_error_for_a_missing_column_suggests_one(
    columns: list[str], requested: str | None, suggestion: str
) -> None:
    with pytest.raises(UsageError, match=rf"columns are .*\. Try --column {suggestion}\.$"):
        choose_column(columns, requested, location="a.csv, line 1")


def test_the_error_for_a_missing_column_lists_the_columns() -> None:
    with pytest.raises(UsageError) as caught:
        choose_column(["id", "body"], None, location="reviews.csv, line 1")
    assert str(caught.value) == (
        'reviews.csv, line 1: no column "text"; columns are id, body. Try --column body.'
    )


def test_a_long_list_of_columns_is_shortened() -> None:
    columns = [f"column {n} " + "x" * 100 for n in range(50)]
    with pytest.raises(UsageError, match="and 30 more") as caught:
        choose_column(columns, None, location="a.csv, line 1")
    assert len(str(caught.value)) < 1200


def test_nothing_to_choose_from_is_an_error() -> None:
    with pytest.raises(UsageError, match="no columns at all"):
        choose_column([], None, location="a.jsonl, line 1")


def test_an_empty_cell_is_empty_text() -> None:
    assert cell_text(None, column="text", location="a") == ""


@pytest.mark.parametrize(
    ("value", "kind"),
    [(5, "a number"), (True, "a boolean"), ([], "a list"), ({}, "an object"), (b"", "a bytes")],
)
def test_a_cell_that_is_not_text_is_reported(value: object, kind: str) -> None:
    with pytest.raises(UsageError, match=rf'a, line 1: column "stars" contains {kind}, not text'):
        cell_text(value, column="stars", location="a, line 1")
