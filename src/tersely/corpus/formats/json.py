"""JSON lines: one object per line.

Uses the options `column`, a key or a path of keys joined by dots, and `encoding`.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tersely.corpus.document import Document, OnSkip, ReadOptions
from tersely.corpus.formats.columns import cell_text, choose_column, missing_column_error
from tersely.corpus.formats.lines import Line, line_location, read_lines
from tersely.corpus.streams import RawFile
from tersely.errors import UsageError

_WAY_OUT = "Each line must be one JSON object; jq -c converts other JSON."
_MISSING = object()


def read_jsonlines(file: RawFile, options: ReadOptions, *, on_skip: OnSkip) -> Iterator[Document]:
    """Yield the chosen key of each object; skip objects without text."""
    column = options.column
    for line, record in read_objects(file, options, on_skip=on_skip):
        location = line_location(file, line.number)
        if column is None:
            column = choose_column(list(record), None, location=location)
        value = get_path(record, column, location=location)
        text = cell_text(value, column=column, location=location)
        if text.strip():
            yield Document(text, location)


def read_objects(
    file: RawFile, options: ReadOptions, *, on_skip: OnSkip
) -> Iterator[tuple[Line, dict[str, Any]]]:
    """Yield each line with its object; skip blank lines."""
    for line in read_lines(file, options, on_skip=on_skip):
        if line.text.strip():
            yield line, _parse_object(line, file)


def get_path(record: Mapping[str, Any], column: str, *, location: str) -> object:
    """Return the value at a key or dotted path; raise UsageError if it is missing."""
    if column in record:
        return record[column]
    value: object = record
    for key in column.split("."):
        value = value.get(key, _MISSING) if isinstance(value, Mapping) else _MISSING
    if value is _MISSING:
        raise missing_column_error(column, list(_paths(record)), location=location)
    return value


def _parse_object(line: Line, file: RawFile) -> dict[str, Any]:
    location = line_location(file, line.number)
    try:
        value = json.loads(line.text)
    except json.JSONDecodeError as error:
        reason = f"{error.msg} at column {error.colno}"
        raise UsageError(f"{location}: not JSON ({reason}). {_WAY_OUT}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{location}: not JSON that can be read ({error}). {_WAY_OUT}") from None
    if not isinstance(value, dict):
        raise UsageError(f"{location}: JSON, but not an object. {_WAY_OUT}")
    return value


def _paths(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the paths of one and two keys, in the form that --column takes."""
    for key, value in record.items():
        if isinstance(value, Mapping) and value:
            yield from (f"{key}.{inner}" for inner in value)
        else:
            yield key
