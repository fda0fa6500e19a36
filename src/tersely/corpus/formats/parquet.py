"""Parquet files, read in batches, only the chosen column.

Uses the option `column`. Parquet requires a seekable file, so a compressed one is first
decompressed into a temporary file.
"""

import io
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from tersely.corpus.document import Document, OnSkip, ReadOptions
from tersely.corpus.formats.columns import cell_text, choose_column
from tersely.corpus.streams import CHUNK_BYTES, RawFile
from tersely.errors import TerselyError, UsageError

MAGIC = b"PAR1"
_BATCH_ROWS = 256


def read_parquet(file: RawFile, options: ReadOptions, *, on_skip: OnSkip) -> Iterator[Document]:
    """Yield the chosen column of each row."""
    parquet = _import_parquet()
    if not file.stream.peek(1).startswith(MAGIC):
        raise UsageError(f"{file.label}: not a Parquet file. Name its format with --format.")
    with _seekable(file) as stream:
        try:
            # Without pre-buffering and with a buffer, a row group is read page by page.
            table = parquet.ParquetFile(stream, pre_buffer=False, buffer_size=1 << 20)
            column = choose_column(table.schema_arrow.names, options.column, location=file.label)
            for number, value in enumerate(_values(table, column), start=1):
                location = f"{file.label}, row {number}"
                text = cell_text(value, column=column, location=location)
                if len(text.encode()) > options.max_document_bytes:
                    on_skip(location)
                elif text.strip():
                    yield Document(text, location)
        except (OSError, ValueError, NotImplementedError) as error:  # pyarrow derives from these
            raise TerselyError(
                f"{file.label}: damaged Parquet file ({_first_line(error)}). "
                "Download or create it again."
            ) from error


def _values(table: Any, column: str) -> Iterator[object]:
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
                f"{file.label}: cannot be unpacked into {tempfile.gettempdir()} "
                f"({error.strerror}). Free some space there, or set TMPDIR to another folder."
            ) from error
        yield unpacked


def _import_parquet() -> Any:
    try:
        import pyarrow.parquet
    except ImportError:
        raise UsageError(
            'Reading Parquet files requires pyarrow: pip install "tersely[train]".'
        ) from None
    return pyarrow.parquet


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
