"""Quantisation: matrices stored as int8 or float16.

An int8 matrix has one scale per row. On disk tensor `name` holds the int8 values and `name.scales`
the scales; in memory both are one `QuantizedTensor`. Matrices of float16 become float32 when they
are loaded. Tensors of few entries are never stored in fewer bytes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tersely.errors import TerselyError
from tersely.model.validation import MAX_WEIGHT_BYTES, TensorSpec

WeightDtype = Literal["float32", "float16", "int8"]
SCALES_SUFFIX = ".scales"
MIN_ENTRIES = 4096
"""Smaller tensors stay in float32."""
MAX_INT8 = 127

Floats = npt.NDArray[np.float32]
Arrays = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class QuantizedTensor:
    """An int8 matrix with one scale per row; an entry is its value times its row's scale."""

    values: npt.NDArray[np.int8]  # (rows, columns), −127 to 127
    scales: Floats  # (rows,)

    @property
    def shape(self) -> tuple[int, int]:
        """Return rows and columns."""
        rows, columns = self.values.shape
        return rows, columns

    @property
    def size(self) -> int:
        """Return the number of entries, scales not counted."""
        return self.values.size

    @property
    def nbytes(self) -> int:
        """Return the bytes of values and scales."""
        return self.values.nbytes + self.scales.nbytes

    def dequantized(self) -> Floats:
        """Return the matrix in float32."""
        with np.errstate(over="ignore"):  # check_finite refuses such a tensor, by its name
            matrix: Floats = self.values * self.scales[:, None]
        return matrix


Tensor = npt.NDArray[Any] | QuantizedTensor
Tensors = dict[str, Tensor]


def dequantize(tensor: Tensor) -> npt.NDArray[Any]:
    """Return a tensor as an array; a quantised one in float32."""
    return tensor.dequantized() if isinstance(tensor, QuantizedTensor) else tensor


def cast_weights(tensors: Mapping[str, Tensor], dtype: WeightDtype) -> Tensors:
    """Cast matrices to `dtype`; tensors already quantised are dequantised first."""
    arrays = {name: dequantize(tensor) for name, tensor in tensors.items()}
    return {name: _cast_array(name, array, dtype) for name, array in arrays.items()}


def _cast_array(name: str, array: npt.NDArray[Any], dtype: WeightDtype) -> Tensor:
    if dtype == "float32" or array.ndim != 2 or array.size < MIN_ENTRIES:
        return array
    return quantize(array) if dtype == "int8" else _to_float16(name, array)


def quantize(matrix: Floats) -> QuantizedTensor:
    """Quantise (rows, columns) to int8; the greatest entry of each row becomes ±127."""
    scales = np.abs(matrix).max(axis=1) / np.float32(MAX_INT8)
    scales = np.where(scales > np.finfo(np.float32).tiny, scales, np.float32(1))
    values = np.rint(matrix / scales[:, None]).clip(-MAX_INT8, MAX_INT8)
    return QuantizedTensor(values.astype(np.int8), scales)


def from_stored(arrays: Mapping[str, npt.NDArray[Any]]) -> Tensors:
    """Turn the arrays of a file into tensors: pair int8 values with scales, widen float16."""
    quantized = {
        name
        for name, array in arrays.items()
        if array.dtype == np.int8 and name + SCALES_SUFFIX in arrays
    }
    tensors: Tensors = {}
    for name, array in arrays.items():
        if name in quantized:
            tensor = QuantizedTensor(array, arrays[name + SCALES_SUFFIX])
            # Kernels take −127 to 127; `quantize` makes no −128, but a file may hold it.
            is_symmetric = array.min(initial=0) >= -MAX_INT8
            tensors[name] = tensor if is_symmetric else tensor.dequantized()
        elif name.removesuffix(SCALES_SUFFIX) not in quantized:
            tensors[name] = array.astype(np.float32) if array.dtype == np.float16 else array
    return tensors


def to_stored(tensors: Mapping[str, Tensor]) -> Arrays:
    """Turn tensors into the arrays of a file; the inverse of `from_stored` for int8."""
    arrays: Arrays = {}
    for name, tensor in tensors.items():
        if isinstance(tensor, QuantizedTensor):
            arrays[name], arrays[name + SCALES_SUFFIX] = tensor.values, tensor.scales
        else:
            arrays[name] = tensor
    return arrays


def loaded_manifest(path: Path, manifest: Mapping[str, TensorSpec]) -> dict[str, TensorSpec]:
    """Return shape and dtype of the tensors that a stored manifest describes, once dequantised.

    Refuse scales that fit no matrix, and tensors that need too much memory as float32.
    """
    quantized = {
        name
        for name, spec in manifest.items()
        if spec.dtype == "I8" and name + SCALES_SUFFIX in manifest
    }
    specs: dict[str, TensorSpec] = {}
    for name, spec in manifest.items():
        if name in quantized:
            _check_scales(path, name, spec, manifest[name + SCALES_SUFFIX])
            specs[name] = TensorSpec(spec.shape, "F32")
        elif name.removesuffix(SCALES_SUFFIX) not in quantized:
            specs[name] = TensorSpec(spec.shape, "F32") if spec.dtype == "F16" else spec
    needed = sum(spec.byte_count for spec in specs.values())
    if needed > MAX_WEIGHT_BYTES:
        raise TerselyError(
            f"{path}: its tensors need {needed:,} bytes as float32; "
            f"the limit is {MAX_WEIGHT_BYTES:,}."
        )
    return specs


def check_finite(path: Path, tensors: Mapping[str, Tensor]) -> None:
    """Refuse tensors with infinities or NaN: no suggestion would make sense."""
    for name, tensor in tensors.items():
        if isinstance(tensor, QuantizedTensor):
            with np.errstate(over="ignore"):
                greatest = tensor.scales * np.float32(MAX_INT8)
            is_finite = np.isfinite(greatest).all() or np.isfinite(tensor.dequantized()).all()
        else:
            is_finite = tensor.dtype.kind != "f" or np.isfinite(tensor).all()
        if not is_finite:
            raise TerselyError(f"{path}: tensor {name} holds values that are not finite.")


def _to_float16(name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    with np.errstate(over="ignore"):
        half = array.astype(np.float16)
    if not np.isfinite(half).all():
        raise TerselyError(
            f"The model's tensor {name} has entries too large for float16. Try --int8."
        )
    return half


def _check_scales(path: Path, name: str, spec: TensorSpec, scales: TensorSpec) -> None:
    if len(spec.shape) != 2 or scales != TensorSpec(spec.shape[:1], "F32"):
        raise TerselyError(
            f"{path}: tensor {name!r:.80} is {spec} and its scales are {scales}; "
            "an int8 matrix needs one F32 scale per row."
        )
