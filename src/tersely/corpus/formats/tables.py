"""Tables in text files: CSV and TSV, with a header line.

Heeds `column` and `encoding`. Which column is meant is columns.py's job,
where a CSV record ends records.py's.
"""

import csv
from collections.abc import Iterator

from tersely.corpus.formats.columns import choose_column
from tersely.corpus.formats.document import Document, OnSkipped
from tersely.corpus.formats.lines import place, read_lines
from tersely.corpus.formats.options import ReadOptions
from tersely.corpus.formats.records import read_records
from tersely.corpus.formats.streams import RawFile
from tersely.errors import UsageError

Row = tuple[int, list[str]]  # line number, fields


def read_csv(file: RawFile, options: ReadOptions, *, on_skipped: OnSkipped) -> Iterator[Document]:
    """Yield the chosen column of each row."""
    delimiter = _delimiter(file, options.encoding)
    records = read_records(file, options, delimiter=delimiter, on_skipped=on_skipped)
    rows = (
        (record.number, _csv_fields(record.text, delimiter, place=place(file, record.number)))
        for record in records
        if record.text.strip()
    )
    return _column_of(rows, file, options)


def read_tsv(file: RawFile, options: ReadOptions, *, on_skipped: OnSkipped) -> Iterator[Document]:
    """Yield the chosen column of each row; a row is a line."""
    rows = (
        (line.number, [_unquoted(field) for field in line.text.split("\t")])
        for line in read_lines(file, options, on_skipped=on_skipped)
        if line.text.strip()
    )
    return _column_of(rows, file, options)


def _column_of(rows: Iterator[Row], file: RawFile, options: ReadOptions) -> Iterator[Document]:
    number, header = next(rows, (0, []))
    if not header:
        raise UsageError(f"{file.shown}: empty; a header line naming the columns is needed.")
    names = [name.strip() for name in header]
    column = choose_column(names, options.column, place=place(file, number))
    index = names.index(column)
    for number, fields in rows:
        if len(fields) != len(names):
            raise UsageError(
                f"{place(file, number)}: {_counted(len(fields), 'field')} where the header has "
                f"{len(names)}. Mend the line, or put quotes around fields that hold separators."
            )
        if fields[index].strip():
            yield Document(fields[index], place(file, number))


def _csv_fields(text: str, delimiter: str, *, place: str) -> list[str]:
    usual = csv.field_size_limit()
    if len(text) > usual:
        csv.field_size_limit(len(text))
    try:
        return next(csv.reader([text], delimiter=delimiter))
    except csv.Error as error:
        raise UsageError(f"{place}: not CSV ({error}). Mend the line.") from None
    finally:
        # The limit on a field is the whole process's, so it is put back at once.
        if len(text) > usual:
            csv.field_size_limit(usual)


def _delimiter(file: RawFile, encoding: str) -> str:
    """Take semicolons or tabs where the header has them and no comma."""
    lines = file.stream.peek(1).decode(encoding, "ignore").splitlines()
    header = lines[0] if lines else ""
    return next((mark for mark in ",;\t" if mark in header), ",")


def _unquoted(field: str) -> str:
    """Undo the quotes some programs put around TSV fields; leave quotes of the text's own."""
    inside = field[1:-1]
    quoted = len(field) > 1 and field[0] == field[-1] == '"'
    if quoted and '"' not in inside.replace('""', ""):
        return inside.replace('""', '"')
    return field


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
