"""The kernels in NumPy: the reference for compiled_backend.py, and the fallback without it.

BLAS copies a matrix into another layout before each product. For five rows the copy costs as
much as the product. OpenBLAS skips it for products below a million multiply-adds, so `Matrix`
multiplies a few rows by a few hundred columns at a time.
"""

from typing import NamedTuple

import numpy as np

from tersely.model.quantization import QuantizedTensor
from tersely.runtime.arrays import Floats, Ids

TopK = tuple[Ids, Floats]
"""Column indices and their values: (rows, count) each."""

MIN_SPLIT_ROWS, MAX_SPLIT_ROWS = 3, 12
MAX_MULTIPLY_ADDS = 1_000_000
MAX_SORTED_COLUMNS = 100
"""Up to this many columns, a full sort is faster than a partition."""


class Overrides(NamedTuple):
    """Log-probabilities that replace those of some columns before the top k are chosen."""

    columns: Ids  # (rows, overrides): indices outside of the scores are skipped
    values: Floats  # (rows, overrides)


class Matrix:
    """The weight of a linear layer, laid out for repeated products with a few rows."""

    def __init__(
        self, weight: Floats | QuantizedTensor, start: int = 0, end: int | None = None
    ) -> None:
        """Take a weight of shape (columns, units), as torch stores it, or its units start:end."""
        if isinstance(weight, QuantizedTensor):
            weight = weight.dequantized()
        self._entries = np.ascontiguousarray(weight[:, start:end].T)  # (units, columns)
        self.shape: tuple[int, int] = (self._entries.shape[0], self._entries.shape[1])

    def matmul(self, rows: Floats, add_to: Floats | None = None) -> Floats:
        """Map (..., units) to (..., columns), plus `add_to`, which may be overwritten."""
        product = self._product(rows)
        if add_to is not None:
            product += add_to
        return product

    def _product(self, rows: Floats) -> Floats:
        count, units = rows.shape[0], rows.shape[-1]
        columns = self.shape[1]
        multiply_adds = count * units * columns
        is_split = MIN_SPLIT_ROWS <= count <= MAX_SPLIT_ROWS and multiply_adds > MAX_MULTIPLY_ADDS
        if rows.ndim != 2 or not is_split:
            product: Floats = rows @ self._entries
            return product
        parts = -(-multiply_adds // MAX_MULTIPLY_ADDS)
        width = -(-columns // parts)
        product = np.empty((count, columns), np.float32)
        for start in range(0, columns, width):
            end = start + width
            np.matmul(rows, self._entries[:, start:end], out=product[:, start:end])
        return product


def lstm_cell(gates: Floats, cell: Floats) -> tuple[Floats, Floats]:
    """Return the next hidden and cell state of an LSTM, (rows, units) each.

    Gates are (rows, 4 × units), before their activation, in torch's order: input, forget, cell,
    output.
    """
    units = cell.shape[1]
    input_forget = sigmoid(gates[:, : 2 * units])
    candidate = np.tanh(gates[:, 2 * units : 3 * units])
    next_cell = input_forget[:, units:] * cell + input_forget[:, :units] * candidate
    return sigmoid(gates[:, 3 * units :]) * np.tanh(next_cell), next_cell


def logsumexp(scores: Floats) -> Floats:
    """Return the logarithm of the sum of e^score over the last axis: (rows,)."""
    greatest = scores.max(axis=-1)
    result: Floats = greatest + np.log(np.exp(scores - greatest[:, None]).sum(axis=-1))
    return result


def log_softmax(scores: Floats) -> Floats:
    """Return the logarithm of the softmax over the last axis."""
    result: Floats = scores - logsumexp(scores)[:, None]
    return result


def top_k(scores: Floats, count: int) -> TopK:
    """Return the `count` greatest entries of each row, best first; of equals the first.

    All columns are returned if there are no more than `count`. −∞ and NaN are not entries: id 0
    and −∞ fill their places, after the entries.
    """
    negated = -scores  # NaN is sorted last, also behind −∞
    ids = _smallest(negated, min(count, scores.shape[1]))
    values = scores[np.arange(len(scores))[:, None], ids]
    is_entry = values > -np.inf
    if is_entry.all():
        return ids, values
    return np.where(is_entry, ids, 0), np.where(is_entry, values, np.float32(-np.inf))


def _smallest(values: Floats, count: int) -> Ids:
    """Return the columns of the `count` smallest values of each row, in stable order."""
    rows, columns = values.shape
    if columns <= MAX_SORTED_COLUMNS or count in (0, columns):
        return np.argsort(values, axis=1, kind="stable")[:, :count]
    greatest = np.partition(values, count - 1, axis=1)[:, count - 1, None]
    is_small = values <= greatest
    ids = np.nonzero(is_small)[1]
    if len(ids) != rows * count or np.isnan(greatest).any():
        # Several columns of a row equal its greatest, or it is NaN: the selection is not exact.
        return np.argsort(values, axis=1, kind="stable")[:, :count]
    order = np.argsort(values[is_small].reshape(rows, count), axis=1, kind="stable")
    return ids.reshape(rows, count)[np.arange(rows)[:, None], order]


def top_k_with_overrides(
    scores: Floats,
    count: int,
    *,
    columns: int,
    log_normalizer: Floats,
    threshold: Floats,
    overrides: Overrides,
) -> TopK:
    """Return the top k of the log-probabilities `scores + log_normalizer`, some of them overridden.

    Only the first `columns` scores of a row are considered, and of these only log-probabilities
    above the row's threshold. `log_normalizer` and `threshold` are (rows,). The result is as that
    of top_k.
    """
    log_probabilities = scores[:, :columns] + log_normalizer[:, None]
    rows, indices = np.nonzero((overrides.columns >= 0) & (overrides.columns < columns))
    log_probabilities[rows, overrides.columns[rows, indices]] = overrides.values[rows, indices]
    ids, values = top_k(log_probabilities, count)
    is_above = values > threshold[:, None]
    if is_above.all():
        return ids, values
    return np.where(is_above, ids, 0), np.where(is_above, values, np.float32(-np.inf))


def sigmoid(values: Floats) -> Floats:
    """Return 1 / (1 + e^−x), without overflow."""
    result: Floats = 0.5 * np.tanh(0.5 * values) + 0.5
    return result
