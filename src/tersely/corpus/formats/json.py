"""JSON lines: one object a line.

Heeds `column`, a key or a path of keys joined by dots, and `encoding`.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tersely.corpus.formats.columns import choose_column, missing_column, text_of
from tersely.corpus.formats.document import Document, OnSkipped
from tersely.corpus.formats.lines import Line, place, read_lines
from tersely.corpus.formats.options import ReadOptions
from tersely.corpus.formats.streams import RawFile
from tersely.errors import UsageError

_WAY_OUT = "Each line must be one JSON object; jq -c turns other JSON into that."
_MISSING = object()


def read_jsonlines(
    file: RawFile, options: ReadOptions, *, on_skipped: OnSkipped
) -> Iterator[Document]:
    """Yield the chosen key of each object; objects without text there are passed over."""
    column = options.column
    for line, record in read_objects(file, options, on_skipped=on_skipped):
        where = place(file, line.number)
        if column is None:
            column = choose_column(list(record), None, place=where)
        text = text_of(find(record, column, place=where), column=column, place=where)
        if text.strip():
            yield Document(text, where)


def read_objects(
    file: RawFile, options: ReadOptions, *, on_skipped: OnSkipped
) -> Iterator[tuple[Line, dict[str, Any]]]:
    """Yield each line's object; blank lines are passed over."""
    for line in read_lines(file, options, on_skipped=on_skipped):
        if line.text.strip():
            yield line, _object(line, file)


def find(record: Mapping[str, Any], column: str, *, place: str) -> object:
    """Follow a key or dotted path into an object."""
    if column in record:
        return record[column]
    value: object = record
    for key in column.split("."):
        value = value.get(key, _MISSING) if isinstance(value, Mapping) else _MISSING
    if value is _MISSING:
        raise missing_column(column, list(_paths(record)), place=place)
    return value


def _object(line: Line, file: RawFile) -> dict[str, Any]:
    where = place(file, line.number)
    try:
        value = json.loads(line.text)
    except json.JSONDecodeError as error:
        reason = f"{error.msg} at column {error.colno}"
        raise UsageError(f"{where}: not JSON ({reason}). {_WAY_OUT}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: not JSON to be read ({error}). {_WAY_OUT}") from None
    if not isinstance(value, dict):
        raise UsageError(f"{where}: JSON, but not an object. {_WAY_OUT}")
    return value


def _paths(record: Mapping[str, Any]) -> Iterator[str]:
    """List the keys, and one level into objects, the way --column takes them."""
    for key, value in record.items():
        if isinstance(value, Mapping) and value:
            yield from (f"{key}.{inner}" for inner in value)
        else:
            yield key
