import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.corpus.formats.options import ReadOptions
from tersely.corpus.formats.records import QuoteTracker, read_records
from tersely.errors import UsageError

FIELD = st.text(st.sampled_from('ab",;\n é'), max_size=8)
ROWS = st.lists(st.lists(FIELD, min_size=2, max_size=3), max_size=6)


def records_of(file, **options):
    skipped = []
    records = read_records(file, ReadOptions(**options), delimiter=",", on_skipped=skipped.append)
    return [(record.number, record.text) for record in records], skipped


def as_csv(rows):
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue()


@given(rows=ROWS)
def test_every_record_written_is_found_again(raw_file, rows):
    records, _ = records_of(raw_file(as_csv(rows)))
    assert [next(csv.reader([text])) for _, text in records] == rows


@given(rows=ROWS, sizes=st.lists(st.integers(1, 4), min_size=1))
def test_quotes_are_followed_wherever_the_pieces_are_cut(rows, sizes):
    data = as_csv(rows).encode()
    whole, cut = QuoteTracker(","), QuoteTracker(",")
    whole.advance(data)
    position = 0
    while position < len(data):
        for size in sizes:
            cut.advance(data[position : position + size])
            position += size
    assert whole.is_open == cut.is_open


def test_a_quote_inside_a_field_opens_nothing(raw_file):
    records, _ = records_of(raw_file('id,text\n1,a 5" pipe\n2,b\n'))
    assert [number for number, _ in records] == [1, 2, 3]


def test_a_record_too_long_is_passed_over_and_the_next_one_found(raw_file):
    long = '"' + 'many ""quoted"" words,\n' * 20_000 + '"'
    records, skipped = records_of(
        raw_file(f"id,text\n1,{long}\n2,short\n", "a.csv"), max_document_bytes=1000
    )
    assert records == [(1, "id,text\n"), (20_003, "2,short\n")]
    assert skipped == ["a.csv, line 2"]


def test_a_quote_never_closed_is_told_where_it_began(raw_file):
    file = raw_file('id,text\n1,"fine"\n2,"open\n3,more\n', "a.csv")
    with pytest.raises(UsageError, match=r"^a\.csv, line 3: a quote .* never closed"):
        records_of(file)


def test_the_last_record_needs_no_line_break(raw_file):
    assert records_of(raw_file("a\nb"))[0] == [(1, "a\n"), (2, "b")]


def test_a_byte_that_is_not_utf8_is_told_with_its_own_line(raw_file):
    file = raw_file(b'id,text\n1,"one\ntwo\xe9"\n', "a.csv")
    with pytest.raises(UsageError, match=r"^a\.csv, line 3: byte 0xe9 is not UTF-8"):
        records_of(file)
