"""Columns: which column of a table contains the text, and the text of a cell.

Used by all readers whose documents have named fields.
"""

from collections.abc import Sequence

from tersely.corpus.document import closest_match
from tersely.errors import UsageError

_DEFAULT_COLUMN = "text"
_LIKELY_COLUMNS = (
    "text",
    "body",
    "content",
    "review",
    "sentence",
    "comment",
    "message",
    "description",
    "utterance",
    "english",
)
_MAX_COLUMNS_SHOWN = 20
_MAX_NAME_CHARACTERS = 40


def choose_column(columns: Sequence[str], requested: str | None, *, location: str) -> str:
    """Return the requested column; by default the column "text", or the only one."""
    if requested is None and _DEFAULT_COLUMN not in columns and len(columns) == 1:
        return columns[0]
    column = requested if requested is not None else _DEFAULT_COLUMN
    if column in columns:
        return column
    raise missing_column_error(column, columns, location=location)


def missing_column_error(column: str, columns: Sequence[str], *, location: str) -> UsageError:
    """Return the error for a missing column; it lists the columns and suggests one."""
    if not columns:
        return UsageError(f'{location}: no column "{column}"; there are no columns at all.')
    names = [_shorten(name) for name in columns[:_MAX_COLUMNS_SHOWN]]
    if len(columns) > _MAX_COLUMNS_SHOWN:
        names.append(f"and {len(columns) - _MAX_COLUMNS_SHOWN} more")
    suggestion = _shorten(_suggest(column, columns))
    return UsageError(
        f'{location}: no column "{column}"; columns are {", ".join(names)}. '
        f"Try --column {suggestion}."
    )


def cell_text(value: object, *, column: str, location: str) -> str:
    """Return the text of a cell, empty for None; raise UsageError for other types."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    raise UsageError(
        f'{location}: column "{column}" contains {_type_name(value)}, not text. '
        "Name the column that contains the text with --column."
    )


def _suggest(column: str, columns: Sequence[str]) -> str:
    if match := closest_match(column, columns):
        return match
    for likely in _LIKELY_COLUMNS:
        for name in columns:
            if likely in name.casefold():
                return name
    return columns[-1]


def _type_name(value: object) -> str:
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    return f"a {type(value).__name__}"


def _shorten(name: str) -> str:
    return name if len(name) <= _MAX_NAME_CHARACTERS else name[: _MAX_NAME_CHARACTERS - 1] + "…"
