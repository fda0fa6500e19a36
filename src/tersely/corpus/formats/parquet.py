"""Parquet files, batch by batch, the chosen column alone.

Heeds `column`. The format cannot be read from front to back, so a compressed
one is first unpacked into a temporary file.
"""

import io
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from tersely.corpus.formats.columns import choose_column, text_of
from tersely.corpus.formats.document import Document, OnSkipped
from tersely.corpus.formats.options import ReadOptions
from tersely.corpus.formats.streams import CHUNK_BYTES, RawFile
from tersely.errors import TerselyError, UsageError

MAGIC = b"PAR1"
_BATCH_ROWS = 256


def read_parquet(
    file: RawFile, options: ReadOptions, *, on_skipped: OnSkipped
) -> Iterator[Document]:
    """Yield the chosen column of each row."""
    arrow = _pyarrow()
    if not file.stream.peek(1).startswith(MAGIC):
        raise UsageError(f"{file.shown}: not a Parquet file. Name its format with --format.")
    with _seekable(file) as stream:
        try:
            # Without pre-buffering and with a buffer, a row group is read page by page.
            table = arrow.ParquetFile(stream, pre_buffer=False, buffer_size=1 << 20)
            column = choose_column(table.schema_arrow.names, options.column, place=file.shown)
            rows = _rows(table, column)
            for number, value in enumerate(rows, start=1):
                where = f"{file.shown}, row {number}"
                text = text_of(value, column=column, place=where)
                if len(text.encode()) > options.max_document_bytes:
                    on_skipped(where)
                elif text.strip():
                    yield Document(text, where)
        except (
            OSError,
            ValueError,
            NotImplementedError,
        ) as error:  # pyarrow's errors are kinds of these
            raise TerselyError(
                f"{file.shown}: damaged Parquet file ({_first_line(error)}). "
                "Fetch or make the file again."
            ) from error


def _rows(table: Any, column: str) -> Iterator[object]:
    for batch in table.iter_batches(_BATCH_ROWS, columns=[column], use_threads=False):
        for value in batch.column(0):
            yield value.as_py()


@contextmanager
def _seekable(file: RawFile) -> Iterator[IO[bytes] | io.BufferedReader]:
    if file.stream.seekable():
        yield file.stream
        return
    with tempfile.TemporaryFile(prefix="tersely-") as unpacked:
        try:
            shutil.copyfileobj(file.stream, unpacked, CHUNK_BYTES)
            unpacked.seek(0)
        except OSError as error:
            raise TerselyError(
                f"{file.shown}: cannot be unpacked into {tempfile.gettempdir()} "
                f"({error.strerror}). Free some space there, or set TMPDIR to another folder."
            ) from error
        yield unpacked


def _pyarrow() -> Any:
    try:
        import pyarrow.parquet
    except ImportError:
        raise UsageError(
            'reading Parquet files takes pyarrow: pip install "tersely[train]".'
        ) from None
    return pyarrow.parquet


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
