"""Changing a config: settings given one by one, as `--set training.seed=2` and sweeps do."""

import tomllib
from collections.abc import Sequence

from tersely.errors import UsageError
from tersely.training.config import RunConfig, parse_config


def with_changes(config: RunConfig, changes: Sequence[str]) -> RunConfig:
    """Apply changes like "training.seed=2"; values are written as in TOML."""
    tables = config.as_dict()
    for change in changes:
        name, _, text = change.partition("=")
        table, _, key = name.strip().partition(".")
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            value = text.strip()  # a bare word is a string
        if not key or not isinstance(tables.get(table), dict):
            raise UsageError(f"--set {change}: write it as TABLE.KEY=VALUE, as training.seed=2.")
        tables[table][key] = value
    return parse_config(tables, where="--set")
