"""Compact weights: how a model is made small on disk, and whole again as it is loaded.

Matrices are stored as int8, each row with the scale that its greatest entry asks for, or as
float16; what is small stays as it is. A tensor `name` of int8 has its scales beside it in
`name.scales`, one a row. Everything that computes sees float32 alone: folder.py expands what
it loads, once, and what it would grow to is bounded before anything is read.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tersely.errors import TerselyError
from tersely.model.validation import MAX_WEIGHT_BYTES, TensorSpec

Kind = Literal["float32", "float16", "int8"]
SCALES = ".scales"
MIN_ENTRIES = 4096
"""Smaller tensors weigh nothing; they stay as exact as they are."""
GREATEST = 127

Tensors = dict[str, npt.NDArray[Any]]


def compress(tensors: Mapping[str, npt.NDArray[Any]], kind: Kind) -> Tensors:
    """Store the matrices in fewer bytes."""
    found: Tensors = {}
    for name, array in tensors.items():
        if kind == "float32" or array.ndim != 2 or array.size < MIN_ENTRIES:
            found[name] = array
        elif kind == "float16":
            found[name] = _half(name, array)
        else:
            found[name], found[name + SCALES] = quantise(array)
    return found


def quantise(matrix: npt.NDArray[np.float32]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Map (rows, columns) to int8 and one scale a row; the greatest entry of a row is ±127."""
    greatest = np.abs(matrix).max(axis=1)
    steps = greatest / np.float32(GREATEST)
    scales = np.where(steps > np.finfo(np.float32).tiny, steps, np.float32(1))
    whole = np.rint(matrix / scales[:, None]).clip(-GREATEST, GREATEST)
    return whole.astype(np.int8), scales


def expand(tensors: Mapping[str, npt.NDArray[Any]]) -> Tensors:
    """Turn what `compress` made into float32 again; other tensors stay as they are."""
    packed = {
        name
        for name, array in tensors.items()
        if array.dtype == np.int8 and name + SCALES in tensors
    }
    found: Tensors = {}
    for name, array in tensors.items():
        if name in packed:
            with np.errstate(over="ignore"):  # what is not finite is refused later, by name
                found[name] = array * tensors[name + SCALES][:, None]  # float32 (rows, columns)
        elif name.removesuffix(SCALES) not in packed:
            found[name] = array.astype(np.float32) if array.dtype == np.float16 else array
    return found


def expanded_manifest(path: Path, manifest: Mapping[str, TensorSpec]) -> dict[str, TensorSpec]:
    """Tell what the tensors of a folder will be once they are expanded.

    Refuse scales that fit no matrix, and more than memory should be asked for.
    """
    packed = {
        name for name, spec in manifest.items() if spec.dtype == "I8" and name + SCALES in manifest
    }
    found: dict[str, TensorSpec] = {}
    for name, spec in manifest.items():
        if name in packed:
            _check_scales(path, name, spec, manifest[name + SCALES])
            found[name] = TensorSpec(spec.shape, "F32")
        elif name.removesuffix(SCALES) not in packed:
            found[name] = TensorSpec(spec.shape, "F32") if spec.dtype == "F16" else spec
    needed = sum(spec.byte_count for spec in found.values())
    if needed > MAX_WEIGHT_BYTES:
        raise TerselyError(
            f"{path}: its tensors grow to {needed:,} bytes; at most {MAX_WEIGHT_BYTES:,}."
        )
    return found


def _half(name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    with np.errstate(over="ignore"):
        half = array.astype(np.float16)
    if not np.isfinite(half).all():
        raise TerselyError(
            f"The model's tensor {name} has entries beyond what float16 holds. Try --int8."
        )
    return half


def _check_scales(path: Path, name: str, spec: TensorSpec, scales: TensorSpec) -> None:
    if len(spec.shape) != 2 or scales != TensorSpec(spec.shape[:1], "F32"):
        raise TerselyError(
            f"{path}: tensor {name!r:.80} is {spec} and its scales are {scales}; "
            "a matrix has one F32 a row."
        )
