"""Layers: where settings come from. A flag beats a TERSELY_ variable, that beats the file."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import SecretStr, ValidationError

from tersely.errors import UsageError
from tersely.service.settings import ServiceSettings

PREFIX = "TERSELY_"
FILE_VARIABLE = "TERSELY_SETTINGS"


@dataclass(frozen=True, slots=True)
class Layered:
    """Settings, and for each that is not the default who set it."""

    settings: ServiceSettings
    sources: Mapping[str, str]

    def lines(self) -> list[str]:
        """As TOML, each with its source; secrets are not shown."""
        shown = []
        for name in ServiceSettings.model_fields:
            value = getattr(self.settings, name)
            source = self.sources.get(name, "default")
            comment = f"# {source}"
            if value is None:
                shown.append(f"{'# ' + name + ' is not set':<42} {comment}")
            else:
                shown.append(f"{name + ' = ' + _as_toml(value):<42} {comment}")
        return shown


def gather(
    flags: Mapping[str, Any], *, file: Path | None, environment: Mapping[str, str]
) -> Layered:
    """Put the layers on each other and check the result."""
    named = file or (Path(environment[FILE_VARIABLE]) if environment.get(FILE_VARIABLE) else None)
    path = named or default_file(environment)
    from_file = _read(path) if named is not None or path.is_file() else {}
    layers = [
        (str(path), from_file),
        ("environment", _from_environment(environment)),
        ("flag", {name: value for name, value in flags.items() if _is_given(value)}),
    ]
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for source, layer in layers:
        values |= layer
        sources |= dict.fromkeys(layer, source)
    try:
        return Layered(ServiceSettings(**values), sources)
    except ValidationError as error:
        raise UsageError(_complaint(error, sources)) from error


def default_file(environment: Mapping[str, str] = os.environ) -> Path:
    """The file that is read if it is there."""
    config = environment.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(config).expanduser() / "tersely" / "serve.toml"


def _is_given(value: Any) -> bool:
    """Tell whether a flag was; a number of 0 was."""
    return value is not None and value is not False and value != []


def _read(path: Path) -> dict[str, Any]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}).") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: not proper TOML ({error}).") from error
    known = list(ServiceSettings.model_fields)
    for key in table:
        if key not in known:
            near = get_close_matches(key, known, n=1, cutoff=0.0)[0]
            raise UsageError(f'{path}: unknown key "{key}". Did you mean "{near}"?')
    return table


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """Lists are written with commas."""
    found: dict[str, Any] = {}
    for name, field in ServiceSettings.model_fields.items():
        text = environment.get(PREFIX + name.upper(), "")
        if text:
            is_list = field.annotation == tuple[str, ...]
            found[name] = [part.strip() for part in text.split(",")] if is_list else text
    return found


def _complaint(error: ValidationError, sources: Mapping[str, str]) -> str:
    problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
    message = str(problem["msg"]).removeprefix("Value error, ").rstrip(".")
    if not problem["loc"]:
        return f"{message}."
    name = str(problem["loc"][0])
    source = sources.get(name, "flag")
    names = {"flag": f"--{name.replace('_', '-')}", "environment": PREFIX + name.upper()}
    return f"{names.get(source, f'{source}: {name}')}: {message}."


def _as_toml(value: Any) -> str:
    if isinstance(value, SecretStr):
        return '"…"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_as_toml, value)) + "]"
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
