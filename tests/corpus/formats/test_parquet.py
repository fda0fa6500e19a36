import gzip
import io
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from tersely.corpus.document import ReadOptions
from tersely.corpus.formats.parquet import read_parquet
from tersely.corpus.streams import RawFile, stream_from_chunks
from tersely.errors import TerselyError, UsageError
from tests.corpus.files import read


def parquet(columns: Mapping[str, Any], **options: Any) -> bytes:
    buffer = io.BytesIO()
    pa.parquet.write_table(pa.table(columns), buffer, **options)
    return buffer.getvalue()


REVIEWS = {"id": [1, 2, 3, 4], "text": ["One.", None, "  ", "Four."]}


def test_the_text_column_is_read() -> None:
    reading = read(read_parquet, parquet(REVIEWS), "a.parquet")
    assert reading.texts == ["One.", "Four."]
    assert reading.locations == ["a.parquet, row 1", "a.parquet, row 4"]


def test_rows_are_numbered_across_row_groups() -> None:
    data = parquet({"text": [f"Row {n}." for n in range(1, 2001)]}, row_group_size=300)
    reading = read(read_parquet, data, "a.parquet")
    assert reading.texts[-1] == "Row 2000."
    assert reading.locations[-1] == "a.parquet, row 2000"


def test_dictionary_encoded_columns_are_read() -> None:
    column = pa.array(["a", "b", "a"]).dictionary_encode()
    assert read(read_parquet, parquet({"text": column})).texts == ["a", "b", "a"]


def test_a_missing_column_is_reported_with_those_available() -> None:
    with pytest.raises(UsageError, match=r'^a\.parquet: no column "body"; columns are id, text'):
        read(read_parquet, parquet(REVIEWS), "a.parquet", column="body")


def test_a_column_of_numbers_is_reported() -> None:
    with pytest.raises(UsageError, match=r'row 1: column "id" contains a number'):
        read(read_parquet, parquet(REVIEWS), column="id")


def test_a_text_too_long_is_skipped() -> None:
    data = parquet({"text": ["x" * 100, "fine"]})
    reading = read(read_parquet, data, "a.parquet", max_document_bytes=50)
    assert reading.texts == ["fine"]
    assert reading.skipped == ["a.parquet, row 1"]


def test_a_file_from_an_archive_is_unpacked_first() -> None:
    chunks = iter([gzip.decompress(gzip.compress(parquet(REVIEWS)))])
    file = RawFile(label="a.zip/a.parquet", name="a.parquet", stream=stream_from_chunks(chunks))
    documents = read_parquet(file, ReadOptions(), on_skip=lambda _: None)
    assert [document.text for document in documents] == ["One.", "Four."]


def test_a_full_disk_is_reported_when_unpacking(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tersely.corpus.formats.parquet.shutil.copyfileobj", full)
    file = RawFile(
        label="a.gz", name="a.parquet", stream=stream_from_chunks(iter([parquet(REVIEWS)]))
    )
    with pytest.raises(TerselyError, match=rf"a\.gz: .*{tempfile.gettempdir()} \(No space.*TMPDIR"):
        list(read_parquet(file, ReadOptions(), on_skip=lambda _: None))


@pytest.mark.parametrize("end", [4, 100, -10])
def test_a_file_cut_short_is_reported_as_damaged(end: int) -> None:
    with pytest.raises(TerselyError, match=r"^a\.parquet: damaged Parquet file \("):
        read(read_parquet, parquet(REVIEWS)[:end], "a.parquet")


def test_a_file_that_is_not_parquet_is_reported() -> None:
    with pytest.raises(UsageError, match="not a Parquet file"):
        read(read_parquet, "text\nHello\n")


def test_without_pyarrow_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(UsageError, match=r'pip install "tersely\[train\]"'):
        read(read_parquet, parquet(REVIEWS))
