"""The kernels in use: compiled if they were built at installation, else NumPy.

hatch_build.py compiles them. The environment variable TERSELY_KERNELS selects a backend: `numpy`,
or `generic`, `avx2` or `avx512` for the instructions that the compiled kernels use. All compute in
float32; products with int8 weights round rows to 16 bits (compiled_backend.py).
"""

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from tersely.errors import UsageError
from tersely.runtime.kernels.numpy_backend import (
    Matrix,
    Overrides,
    log_softmax,
    logsumexp,
    lstm_cell,
    top_k,
    top_k_with_overrides,
)
from tersely.runtime.kernels.pruning import prune

BACKENDS = ("numpy", "generic", "avx2", "avx512")
_requested = os.environ.get("TERSELY_KERNELS", "")
if _requested not in ("", "any", *BACKENDS):  # "any" is an older name of "generic"
    raise UsageError(
        f"TERSELY_KERNELS is {_requested!r}; it can be numpy, generic, avx2 or avx512."
    )

BACKEND = "numpy"
if not TYPE_CHECKING and _requested != "numpy":
    with suppress(ImportError):  # not compiled, or compiled from another version
        from tersely.runtime.kernels.compiled_backend import (
            BACKEND,
            Matrix,
            logsumexp,
            lstm_cell,
            prune,
            top_k,
            top_k_with_overrides,
        )

__all__ = [
    "BACKEND",
    "Matrix",
    "Overrides",
    "log_softmax",
    "logsumexp",
    "lstm_cell",
    "prune",
    "top_k",
    "top_k_with_overrides",
]
