"""The kernels that are used.

Compiled ones where they were built as tersely was installed (hatch_build.py), else the same in
NumPy. TERSELY_KERNELS=numpy asks for the latter, and any or avx2 for narrower instructions than
the processor has. All compute in float32, but for rows that meet a matrix in bytes (fast.py);
tests hold one against the other.
"""

import os
from typing import TYPE_CHECKING

from tersely.errors import UsageError
from tersely.runtime.kernels.plain import Changed, log_softmax

ASKED = os.environ.get("TERSELY_KERNELS", "")
if ASKED not in ("", "numpy", "any", "avx2", "avx512"):
    raise UsageError(f"TERSELY_KERNELS is {ASKED!r}; it can be numpy, any, avx2 or avx512.")

if TYPE_CHECKING or ASKED == "numpy":
    from tersely.runtime.kernels.beam import follow
    from tersely.runtime.kernels.plain import Matrix, best, log_sum, remember, top

    KIND = "numpy"
else:
    try:
        from tersely.runtime.kernels.fast import KIND, Matrix, best, follow, log_sum, remember, top
    except ImportError:  # there was no compiler
        from tersely.runtime.kernels.beam import follow
        from tersely.runtime.kernels.plain import Matrix, best, log_sum, remember, top

        KIND = "numpy"

__all__ = [
    "KIND",
    "Changed",
    "Matrix",
    "best",
    "follow",
    "log_softmax",
    "log_sum",
    "remember",
    "top",
]
