import csv

import pytest

from tersely.corpus.formats.tables import read_csv, read_tsv
from tersely.errors import UsageError

REVIEWS = 'id,text,stars\n1,"Good, and\ncheap.",5\n\n2,Bad.,1\n3,,2\n'


def test_the_text_column_of_a_csv_is_read(read):
    reading = read(read_csv, REVIEWS, "reviews.csv")
    assert reading.texts == ["Good, and\ncheap.", "Bad."]
    assert reading.places == ["reviews.csv, line 2", "reviews.csv, line 5"]


def test_another_column_can_be_asked_for(read):
    assert read(read_csv, REVIEWS, column="stars").texts == ["5", "1", "2"]


def test_a_missing_column_is_told_with_those_there_are(read):
    with pytest.raises(
        UsageError, match=r'^a\.csv, line 1: no column "text"; columns are id, body'
    ):
        read(read_csv, "id,body\n1,x\n", "a.csv")


def test_a_single_column_needs_no_name(read):
    assert read(read_csv, "sentence\nHello.\n").texts == ["Hello."]


@pytest.mark.parametrize("mark", [";", "\t"])
def test_csv_with_other_separators_is_understood(read, mark):
    text = f'id{mark}text\n1{mark}"Well{mark} yes, indeed"\n'
    assert read(read_csv, text).texts == [f"Well{mark} yes, indeed"]


def test_line_breaks_of_other_systems_and_a_byte_order_mark_do_not_matter(read):
    assert read(read_csv, "\ufefftext,id\r\nHello.,1\r\n").texts == ["Hello."]


@pytest.mark.parametrize(("line", "fields"), [("1,2,3", "3 fields"), ("1", "1 field ")])
def test_a_row_of_another_length_is_told_with_its_place(read, line, fields):
    with pytest.raises(UsageError, match=rf"^a\.csv, line 3: {fields} ?where the header has 2"):
        read(read_csv, f"id,text\n1,x\n{line}\n", "a.csv")


@pytest.mark.parametrize("reader", [read_csv, read_tsv])
def test_a_table_needs_a_header(read, reader):
    with pytest.raises(UsageError, match=r"^a\.csv: empty; a header line"):
        read(reader, "\n\n", "a.csv")


def test_a_field_longer_than_csv_usually_takes_is_read(read):
    usual = csv.field_size_limit()
    assert read(read_csv, f"text\n{'x' * (usual + 1)}\n").texts == ["x" * (usual + 1)]
    assert csv.field_size_limit() == usual


def test_what_csv_cannot_read_is_told_with_its_place(read):
    with pytest.raises(UsageError, match=r"^a\.csv, line 2: not CSV"):
        read(read_csv, "id,text\n1,old\rMac\n", "a.csv")


def test_a_row_too_long_is_left_out(read):
    reading = read(read_csv, f"id,text\n1,{'x' * 100}\n2,fine\n", max_document_bytes=50)
    assert reading.texts == ["fine"]
    assert reading.skipped == ["corpus.txt, line 2"]


def test_tsv_keeps_the_quotes_of_the_text(read):
    text = 'id\ttext\n1\t"Yes," she said.\n2\t5" pipe\n3\t"Go," he said. "Now."\n'
    assert read(read_tsv, text).texts == ['"Yes," she said.', '5" pipe', '"Go," he said. "Now."']


def test_tsv_undoes_quotes_put_around_fields(read):
    assert read(read_tsv, 'text\tid\n"She said ""go""."\t1\n').texts == ['She said "go".']


def test_a_tsv_row_of_another_length_is_told_with_its_place(read):
    with pytest.raises(UsageError, match=r"^a\.tsv, line 2: 3 fields where the header has 2"):
        read(read_tsv, "id\ttext\n1\tx\ty\n", "a.tsv")
