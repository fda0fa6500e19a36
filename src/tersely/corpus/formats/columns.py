"""Which column of a table holds the text.

Shared by every reader whose documents have named parts; how the parts are
read is told by those readers.
"""

from collections.abc import Sequence

from tersely.corpus.formats.options import nearest
from tersely.errors import UsageError

_DEFAULT = "text"
_LIKELY = (
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
_MOST_SHOWN = 20
_LONGEST_SHOWN = 40


def choose_column(columns: Sequence[str], wanted: str | None, *, place: str) -> str:
    """Return the column asked for; unasked, the one named text, or the only one."""
    if wanted is None and _DEFAULT not in columns and len(columns) == 1:
        return columns[0]
    column = wanted if wanted is not None else _DEFAULT
    if column in columns:
        return column
    raise missing_column(column, columns, place=place)


def missing_column(column: str, columns: Sequence[str], *, place: str) -> UsageError:
    """Say which columns there are and which of them is probably meant."""
    if not columns:
        return UsageError(f'{place}: no column "{column}"; there are no columns at all.')
    shown = [_shortened(name) for name in columns[:_MOST_SHOWN]]
    if len(columns) > _MOST_SHOWN:
        shown.append(f"and {len(columns) - _MOST_SHOWN} more")
    guess = _shortened(_guess(column, columns))
    return UsageError(
        f'{place}: no column "{column}"; columns are {", ".join(shown)}. Try --column {guess}.'
    )


def text_of(value: object, *, column: str, place: str) -> str:
    """Return a cell's text, empty where the cell is; refuse numbers and other things."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    raise UsageError(
        f'{place}: column "{column}" holds {_kind(value)}, not text. '
        "Name the column that holds the text with --column."
    )


def _guess(column: str, columns: Sequence[str]) -> str:
    if close := nearest(column, columns):
        return close
    for likely in _LIKELY:
        for name in columns:
            if likely in name.casefold():
                return name
    return columns[-1]


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "yes or no"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    return f"a {type(value).__name__}"


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST_SHOWN else name[: _LONGEST_SHOWN - 1] + "…"
