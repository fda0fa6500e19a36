import pytest

from tersely.corpus.formats.columns import choose_column, text_of
from tersely.errors import UsageError


def test_the_column_named_text_is_taken_unasked():
    assert choose_column(["id", "text"], None, place="a") == "text"


def test_an_only_column_is_taken_unasked():
    assert choose_column(["whatever"], None, place="a") == "whatever"


def test_the_column_asked_for_is_taken():
    assert choose_column(["id", "text", "body"], "body", place="a") == "body"


@pytest.mark.parametrize(
    ("columns", "wanted", "guess"),
    [
        (["id", "body"], None, "body"),
        (["id", "Review_Text", "stars"], None, "Review_Text"),
        (["id", "Text"], None, "Text"),
        (["sentence", "body"], "sentnce", "sentence"),
        (["id", "remarks"], None, "remarks"),
    ],
)
def test_a_missing_column_comes_with_a_guess(columns, wanted, guess):
    with pytest.raises(UsageError, match=rf"columns are .*\. Try --column {guess}\.$"):
        choose_column(columns, wanted, place="a.csv, line 1")


def test_the_error_reads_as_a_sentence():
    with pytest.raises(UsageError) as caught:
        choose_column(["id", "body"], None, place="reviews.csv, line 1")
    assert str(caught.value) == (
        'reviews.csv, line 1: no column "text"; columns are id, body. Try --column body.'
    )


def test_a_long_list_of_columns_is_cut():
    columns = [f"column {n} " + "x" * 100 for n in range(50)]
    with pytest.raises(UsageError, match="and 30 more") as caught:
        choose_column(columns, None, place="a.csv, line 1")
    assert len(str(caught.value)) < 1200


def test_nothing_to_choose_from_is_an_error():
    with pytest.raises(UsageError, match="no columns at all"):
        choose_column([], None, place="a.jsonl, line 1")


def test_an_empty_cell_is_empty_text():
    assert text_of(None, column="text", place="a") == ""


@pytest.mark.parametrize(
    ("value", "kind"),
    [(5, "a number"), (True, "yes or no"), ([], "a list"), ({}, "an object"), (b"", "a bytes")],
)
def test_what_is_not_text_is_told(value, kind):
    with pytest.raises(UsageError, match=rf'a, line 1: column "stars" holds {kind}, not text'):
        text_of(value, column="stars", place="a, line 1")
