"""Validation of a model folder's files; each check runs before the next costlier one.

File sizes are checked first, then the safetensors header against the manifest in config.json.
The weights themselves are read only after that.
"""

import json
import math
import stat
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tersely.errors import TerselyError

DTYPES: Mapping[str, np.dtype[Any]] = {
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "I8": np.dtype("i1"),
    "U8": np.dtype("u1"),
    "I32": np.dtype("<i4"),
}
MAX_CONFIG_BYTES = 1 << 20
MAX_HEADER_BYTES = 1 << 20
MAX_WEIGHT_BYTES = 4 << 30
MAX_TENSORS = 10_000
MAX_NESTING = 20


class TensorSpec(NamedTuple):
    """A tensor's shape and dtype."""

    shape: tuple[int, ...]
    dtype: str

    def __str__(self) -> str:
        return f"{self.dtype} {list(self.shape)}"

    @property
    def byte_count(self) -> int:
        """Return the size of such a tensor in bytes."""
        return math.prod(self.shape) * DTYPES[self.dtype].itemsize


def read_regular_file(path: Path, *, limit: int) -> bytes:
    """Read a regular file of at most `limit` bytes."""
    check_size(path, limit=limit)
    try:
        return path.read_bytes()
    except OSError as error:
        raise TerselyError(f"{path}: cannot be read ({error.strerror}).") from error


def check_size(path: Path, *, limit: int) -> int:
    """Return a file's size; refuse pipes and devices, which may never end, and large files."""
    try:
        status = path.stat()
    except OSError as error:
        raise TerselyError(f"{path}: cannot be read ({error.strerror}).") from error
    if not stat.S_ISREG(status.st_mode):
        raise TerselyError(f"{path}: not a regular file.")
    if status.st_size > limit:
        raise TerselyError(f"{path}: {status.st_size:,} bytes; at most {limit:,} are read.")
    return status.st_size


def read_config(path: Path, *, version: int) -> dict[str, Any]:
    """Read config.json; check its format version and the type of each entry."""
    config = _parse_object(path, read_regular_file(path, limit=MAX_CONFIG_BYTES))
    if config.get("format_version") != version:
        raise TerselyError(
            f"{path}: format {config.get('format_version')!r}; this tersely reads {version}. "
            "Export the model again, or update tersely."
        )
    kinds = {"architecture": str, "settings": dict, "vocabulary_size": int, "tensors": dict}
    for key, kind in kinds.items():
        if type(config.get(key)) is not kind:
            raise TerselyError(f'{path}: "{key}" must be a {_JSON_NAMES[kind]}.')
    return config


_JSON_NAMES: Mapping[type, str] = {str: "string", dict: "object", int: "whole number"}


def check_manifest(path: Path, entries: Mapping[str, Any]) -> dict[str, TensorSpec]:
    """Return the specs of the tensors that config.json lists; refuse impossible ones."""
    if len(entries) > MAX_TENSORS:
        raise TerselyError(f"{path}: {len(entries):,} tensors; at most {MAX_TENSORS:,}.")
    return {name: _spec(path, name, entry) for name, entry in entries.items()}


def read_tensor_header(path: Path, manifest: Mapping[str, TensorSpec]) -> None:
    """Check a safetensors file's header and length against the manifest in config.json.

    The layout is that of https://huggingface.co/docs/safetensors: eight bytes with the
    header's length, the header as JSON, then the tensors without gaps.
    """
    size = check_size(path, limit=MAX_WEIGHT_BYTES)
    with path.open("rb") as file:
        start = file.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else -1
        if not 0 < length <= min(MAX_HEADER_BYTES, size - 8):
            raise TerselyError(f"{path}: not a whole safetensors file (bad header length).")
        header = _parse_object(path, file.read(length))
    header.pop("__metadata__", None)
    if set(header) != set(manifest):
        name = min(set(header) ^ set(manifest))
        where = "config.json does not list" if name in header else "is missing from the weights"
        raise TerselyError(f"{path}: tensor {name!r:.80} {where}.")
    for name, entry in header.items():
        spec = _spec(path, name, entry)
        if spec != manifest[name]:
            raise TerselyError(
                f"{path}: tensor {name} is {spec}, but config.json lists {manifest[name]}."
            )
    needed = 8 + length + sum(spec.byte_count for spec in manifest.values())
    if size != needed:
        raise TerselyError(f"{path}: {size:,} bytes; its tensors need {needed:,}.")


def _spec(path: Path, name: str, entry: Any) -> TensorSpec:
    shape = entry.get("shape") if isinstance(entry, dict) else None
    dtype = entry.get("dtype") if isinstance(entry, dict) else None
    fits = isinstance(shape, list) and len(shape) <= 8
    if not fits or not all(type(extent) is int and 0 <= extent < 1 << 31 for extent in shape or ()):
        raise TerselyError(f"{path}: tensor {name!r:.80} has an invalid shape.")
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise TerselyError(
            f"{path}: tensor {name!r:.80} is {dtype!r:.20}; known are {', '.join(DTYPES)}."
        )
    return TensorSpec(tuple(shape or ()), dtype)


def _parse_object(path: Path, content: bytes) -> dict[str, Any]:
    if _nesting(content) > MAX_NESTING:
        raise TerselyError(f"{path}: nested more than {MAX_NESTING} deep.")
    try:
        parsed = json.loads(content.decode("utf-8"), object_pairs_hook=_without_duplicates)
    except (ValueError, RecursionError) as error:
        raise TerselyError(f"{path}: invalid JSON ({error}).") from error
    if not isinstance(parsed, dict):
        raise TerselyError(f"{path}: expected a JSON object.")
    return parsed


def _nesting(content: bytes) -> int:
    """Return an upper bound of the nesting depth; brackets inside strings count too."""
    depth = deepest = 0
    for byte in content:
        if byte in b"{[":
            depth += 1
            deepest = max(deepest, depth)
        elif byte in b"}]":
            depth -= 1
    return deepest


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("duplicate key")
    return table
