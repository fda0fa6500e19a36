"""TOML tables → dataclasses, with errors that name the key and the valid values."""

import math
import tomllib
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from tersely.errors import UsageError


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}).") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: not valid TOML ({error}).") from error


Table = TypeVar("Table")
_TYPE_NAMES = {int: "an integer", float: "a number", bool: "true or false", str: "a string"}


def parse_table(table_class: type[Table], table: Mapping[str, Any], where: str) -> Table:
    """Build a dataclass from a table; missing keys keep their defaults."""
    hints = get_type_hints(table_class)
    known = [field.name for field in fields(table_class)]  # type: ignore[arg-type]
    values = {}
    for key, value in table.items():
        if key not in known:
            nearest = get_close_matches(key, known, n=1, cutoff=0.0)[0]
            raise UsageError(f'{where}: unknown key "{key}". Did you mean "{nearest}"?')
        values[key] = _parse_value(hints[key], value, f"{where}: {key}")
    return table_class(**values)


def _parse_value(hint: Any, value: Any, where: str) -> Any:
    if is_dataclass(hint) and isinstance(hint, type):
        if not isinstance(value, Mapping):
            raise UsageError(
                f"{where} must be a table; write [{where.split(': ')[-1]}] above its keys."
            )
        return parse_table(hint, value, where)
    origin, choices = get_origin(hint), get_args(hint)
    if origin in (types.UnionType, Union):
        if value is None:
            return None
        return _parse_value(next(c for c in choices if c is not type(None)), value, where)
    if origin is Literal:
        if value not in choices:
            raise UsageError(
                f"{where} must be one of {', '.join(map(str, choices))}, got {value!r}."
            )
        return value
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            raise UsageError(f"{where} must be a list, got {value!r}.")
        return tuple(_parse_value(choices[0], entry, where) for entry in value)
    if hint is float and type(value) is int:
        return float(value)
    if type(value) is not hint:
        raise UsageError(f"{where} must be {_TYPE_NAMES[hint]}, got {value!r}.")
    if hint is float and not math.isfinite(value):
        raise UsageError(f"{where} must be a finite number, got {value!r}.")
    return value
