import gzip
import io
import sys
import tempfile

import pyarrow as pa
import pyarrow.parquet
import pytest

from tersely.corpus.formats.options import ReadOptions
from tersely.corpus.formats.parquet import read_parquet
from tersely.corpus.formats.streams import RawFile, stream_of
from tersely.errors import TerselyError, UsageError


def parquet(columns, **options):
    buffer = io.BytesIO()
    pa.parquet.write_table(pa.table(columns), buffer, **options)
    return buffer.getvalue()


REVIEWS = {"id": [1, 2, 3, 4], "text": ["One.", None, "  ", "Four."]}


def test_the_text_column_is_read(read):
    reading = read(read_parquet, parquet(REVIEWS), "a.parquet")
    assert reading.texts == ["One.", "Four."]
    assert reading.places == ["a.parquet, row 1", "a.parquet, row 4"]


def test_rows_are_numbered_across_row_groups(read):
    data = parquet({"text": [f"Row {n}." for n in range(1, 2001)]}, row_group_size=300)
    reading = read(read_parquet, data, "a.parquet")
    assert reading.texts[-1] == "Row 2000."
    assert reading.places[-1] == "a.parquet, row 2000"


def test_repeated_texts_kept_in_a_dictionary_are_read(read):
    column = pa.array(["a", "b", "a"]).dictionary_encode()
    assert read(read_parquet, parquet({"text": column})).texts == ["a", "b", "a"]


def test_a_missing_column_is_told_with_those_there_are(read):
    with pytest.raises(UsageError, match=r'^a\.parquet: no column "body"; columns are id, text'):
        read(read_parquet, parquet(REVIEWS), "a.parquet", column="body")


def test_a_column_of_numbers_is_told(read):
    with pytest.raises(UsageError, match=r'row 1: column "id" holds a number'):
        read(read_parquet, parquet(REVIEWS), column="id")


def test_a_text_too_long_is_left_out(read):
    data = parquet({"text": ["x" * 100, "fine"]})
    reading = read(read_parquet, data, "a.parquet", max_document_bytes=50)
    assert reading.texts == ["fine"]
    assert reading.skipped == ["a.parquet, row 1"]


def test_a_file_out_of_an_archive_is_unpacked_first():
    chunks = iter([gzip.decompress(gzip.compress(parquet(REVIEWS)))])
    file = RawFile(shown="a.zip/a.parquet", name="a.parquet", stream=stream_of(chunks))
    documents = read_parquet(file, ReadOptions(), on_skipped=lambda _: None)
    assert [document.text for document in documents] == ["One.", "Four."]


def test_no_room_to_unpack_is_told_with_the_way_out(monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tersely.corpus.formats.parquet.shutil.copyfileobj", full)
    file = RawFile(shown="a.gz", name="a.parquet", stream=stream_of(iter([parquet(REVIEWS)])))
    with pytest.raises(TerselyError, match=rf"a\.gz: .*{tempfile.gettempdir()} \(No space.*TMPDIR"):
        list(read_parquet(file, ReadOptions(), on_skipped=lambda _: None))


@pytest.mark.parametrize("kept", [4, 100, -10])
def test_a_file_cut_short_is_told_as_damaged(read, kept):
    with pytest.raises(TerselyError, match=r"^a\.parquet: damaged Parquet file \("):
        read(read_parquet, parquet(REVIEWS)[:kept], "a.parquet")


def test_what_is_no_parquet_file_is_told(read):
    with pytest.raises(UsageError, match="not a Parquet file"):
        read(read_parquet, "text\nHello\n")


def test_without_pyarrow_the_way_out_is_told(read, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(UsageError, match=r'pip install "tersely\[train\]"'):
        read(read_parquet, parquet(REVIEWS))
