"""Products of a few rows with a matrix, which is all that a beam asks for.

BLAS copies a matrix into an order of its own before it multiplies. For five rows the copy costs
as much as the product. OpenBLAS leaves it out for products below a million multiply-adds, so a
few rows are multiplied with a few hundred columns at a time: half the time for beams of 3 to 10
(docs/results/latency.md).
"""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

FEWEST, MOST = 3, 12  # rows
SMALL = 1_000_000  # multiply-adds


def times(rows: Floats, matrix: Floats) -> Floats:
    """Multiply (rows, units) by (units, columns)."""
    count, units = rows.shape
    columns = matrix.shape[1]
    if not FEWEST <= count <= MOST or count * units * columns <= SMALL:
        product: Floats = rows @ matrix
        return product
    parts = -(-count * units * columns // SMALL)
    width = -(-columns // parts)
    found = np.empty((count, columns), np.float32)
    for start in range(0, columns, width):
        end = start + width
        np.matmul(rows, matrix[:, start:end], out=found[:, start:end])
    return found
