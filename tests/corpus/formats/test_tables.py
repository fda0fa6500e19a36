import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.corpus.document import ReadOptions
from tersely.corpus.formats.tables import QuoteTracker, read_csv, read_records, read_tsv
from tersely.corpus.streams import RawFile
from tersely.errors import UsageError
from tests.corpus.files import Reader, raw_file, read

REVIEWS = 'id,text,stars\n1,"Good, and\ncheap.",5\n\n2,Bad.,1\n3,,2\n'


def test_the_text_column_of_a_csv_is_read() -> None:
    reading = read(read_csv, REVIEWS, "reviews.csv")
    assert reading.texts == ["Good, and\ncheap.", "Bad."]
    assert reading.locations == ["reviews.csv, line 2", "reviews.csv, line 5"]


def test_another_column_can_be_chosen() -> None:
    assert read(read_csv, REVIEWS, column="stars").texts == ["5", "1", "2"]


def test_a_missing_column_is_reported_with_those_available() -> None:
    with pytest.raises(
        UsageError, match=r'^a\.csv, line 1: no column "text"; columns are id, body'
    ):
        read(read_csv, "id,body\n1,x\n", "a.csv")


def test_an_only_column_needs_no_name() -> None:
    assert read(read_csv, "sentence\nHello.\n").texts == ["Hello."]


@pytest.mark.parametrize("mark", [";", "\t"])
def test_csv_with_other_delimiters_is_read(mark: str) -> None:
    text = f'id{mark}text\n1{mark}"Well{mark} yes, indeed"\n'
    assert read(read_csv, text).texts == [f"Well{mark} yes, indeed"]


def test_line_breaks_of_other_systems_and_a_byte_order_mark_do_not_matter() -> None:
    assert read(read_csv, "\ufefftext,id\r\nHello.,1\r\n").texts == ["Hello."]


@pytest.mark.parametrize(("line", "fields"), [("1,2,3", "3 fields"), ("1", "1 field ")])
def test_a_row_of_another_length_is_reported_with_its_location(line: str, fields: str) -> None:
    with pytest.raises(UsageError, match=rf"^a\.csv, line 3: {fields} ?where the header has 2"):
        read(read_csv, f"id,text\n1,x\n{line}\n", "a.csv")


@pytest.mark.parametrize("reader", [read_csv, read_tsv])
def test_a_table_requires_a_header(reader: Reader) -> None:
    with pytest.raises(UsageError, match=r"^a\.csv: empty; a header line"):
        read(reader, "\n\n", "a.csv")


def test_a_field_longer_than_the_csv_limit_is_read() -> None:
    usual = csv.field_size_limit()
    assert read(read_csv, f"text\n{'x' * (usual + 1)}\n").texts == ["x" * (usual + 1)]
    assert csv.field_size_limit() == usual


def test_invalid_csv_is_reported_with_its_line() -> None:
    with pytest.raises(UsageError, match=r"^a\.csv, line 2: not CSV"):
        read(read_csv, "id,text\n1,old\rMac\n", "a.csv")


def test_a_row_too_long_is_skipped() -> None:
    reading = read(read_csv, f"id,text\n1,{'x' * 100}\n2,fine\n", max_document_bytes=50)
    assert reading.texts == ["fine"]
    assert reading.skipped == ["corpus.txt, line 2"]


def test_tsv_keeps_the_quotes_of_the_text() -> None:
    text = 'id\ttext\n1\t"Yes," she said.\n2\t5" pipe\n3\t"Go," he said. "Now."\n'
    assert read(read_tsv, text).texts == ['"Yes," she said.', '5" pipe', '"Go," he said. "Now."']


def test_tsv_removes_quotes_around_fields() -> None:
    assert read(read_tsv, 'text\tid\n"She said ""go""."\t1\n').texts == ['She said "go".']


def test_a_tsv_row_of_another_length_is_reported_with_its_location() -> None:
    with pytest.raises(UsageError, match=r"^a\.tsv, line 2: 3 fields where the header has 2"):
        read(read_tsv, "id\ttext\n1\tx\ty\n", "a.tsv")


FIELD = st.text(st.sampled_from('ab",;\n é'), max_size=8)
ROWS = st.lists(st.lists(FIELD, min_size=2, max_size=3), max_size=6)


def records_of(file: RawFile, **options: Any) -> tuple[list[tuple[int, str]], list[str]]:
    skipped: list[str] = []
    records = read_records(file, ReadOptions(**options), delimiter=",", on_skip=skipped.append)
    return [(record.number, record.text) for record in records], skipped


def as_csv(rows: list[list[str]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue()


@given(rows=ROWS)
def test_every_record_written_is_found_again(rows: list[list[str]]) -> None:
    records, _ = records_of(raw_file(as_csv(rows)))
    assert [next(csv.reader([text])) for _, text in records] == rows


@given(rows=ROWS, sizes=st.lists(st.integers(1, 4), min_size=1))
def test_quotes_are_tracked_wherever_the_chunks_are_cut(
    rows: list[list[str]], sizes: list[int]
) -> None:
    data = as_csv(rows).encode()
    whole, cut = QuoteTracker(","), QuoteTracker(",")
    whole.advance(data)
    position = 0
    while position < len(data):
        for size in sizes:
            cut.advance(data[position : position + size])
            position += size
    assert whole.is_open == cut.is_open


def test_a_quote_inside_a_field_does_not_open_one() -> None:
    records, _ = records_of(raw_file('id,text\n1,a 5" pipe\n2,b\n'))
    assert [number for number, _ in records] == [1, 2, 3]


def test_a_record_too_long_is_skipped_and_the_next_one_found() -> None:
    long = '"' + 'many ""quoted"" words,\n' * 20_000 + '"'
    records, skipped = records_of(
        raw_file(f"id,text\n1,{long}\n2,short\n", "a.csv"), max_document_bytes=1000
    )
    assert records == [(1, "id,text\n"), (20_003, "2,short\n")]
    assert skipped == ["a.csv, line 2"]


def test_an_unclosed_quote_is_reported_with_its_first_line() -> None:
    file = raw_file('id,text\n1,"fine"\n2,"open\n3,more\n', "a.csv")
    with pytest.raises(UsageError, match=r"^a\.csv, line 3: a quote .* never closed"):
        records_of(file)


def test_the_last_record_needs_no_line_break() -> None:
    assert records_of(raw_file("a\nb"))[0] == [(1, "a\n"), (2, "b")]


def test_a_byte_that_is_not_utf8_is_reported_with_its_own_line() -> None:
    file = raw_file(b'id,text\n1,"one\ntwo\xe9"\n', "a.csv")
    with pytest.raises(UsageError, match=r"^a\.csv, line 3: byte 0xe9 is not UTF-8"):
        records_of(file)
