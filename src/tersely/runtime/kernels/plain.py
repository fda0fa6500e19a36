"""The kernels in NumPy: what they mean, and what runs where nothing was compiled.

BLAS copies a matrix into an order of its own before it multiplies. For five rows the copy costs
as much as the product. OpenBLAS leaves it out for products below a million multiply-adds, so a
few rows are multiplied with a few hundred columns at a time.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]

Best = tuple[Ids, Floats]  # where, and how great

FEWEST, MOST = 3, 12  # rows
SMALL = 1_000_000  # multiply-adds


class Changed(NamedTuple):
    """What to know of scores before the best are looked for."""

    at: Ids  # (rows, others): columns that count otherwise; one that is none is passed over
    instead: Floats  # (rows, others): with this log-probability
    above: Floats  # (rows,): what is wanted exceeds this


class Matrix:
    """A matrix that many rows will be multiplied by."""

    def __init__(self, weight: Floats, start: int = 0, end: int | None = None) -> None:
        """Take it as torch keeps a layer's weight, (columns, units), or some units of it."""
        self._entries = np.ascontiguousarray(weight[:, start:end].T)  # (units, columns)
        self.shape: tuple[int, int] = (self._entries.shape[0], self._entries.shape[1])

    def times(self, rows: Floats, onto: Floats | None = None) -> Floats:
        """Map (..., units) to (..., columns); what it is added to may be overwritten."""
        product = self._product(rows)
        if onto is not None:
            product += onto
        return product

    def _product(self, rows: Floats) -> Floats:
        count, units = rows.shape[0], rows.shape[-1]
        columns = self.shape[1]
        small = count * units * columns <= SMALL
        if rows.ndim != 2 or small or not FEWEST <= count <= MOST:
            product: Floats = rows @ self._entries
            return product
        parts = -(-count * units * columns // SMALL)
        width = -(-columns // parts)
        found = np.empty((count, columns), np.float32)
        for start in range(0, columns, width):
            end = start + width
            np.matmul(rows, self._entries[:, start:end], out=found[:, start:end])
        return found


def remember(gates: Floats, before: Floats) -> tuple[Floats, Floats]:
    """One step of an LSTM behind its products: hidden and cell state, (rows, units) each.

    Gates are (rows, 4 × units), in torch's order: input, forget, cell, output.
    """
    units = before.shape[1]
    kept = sigmoid(gates[:, : 2 * units])  # input and forget gate
    candidate = np.tanh(gates[:, 2 * units : 3 * units])
    cell = kept[:, units:] * before + kept[:, :units] * candidate
    return sigmoid(gates[:, 3 * units :]) * np.tanh(cell), cell


def log_sum(scores: Floats) -> Floats:
    """The logarithm of the sum of e^score over the last axis: (rows,)."""
    most = scores.max(axis=-1)
    found: Floats = most + np.log(np.exp(scores - most[:, None]).sum(axis=-1))
    return found


def log_softmax(scores: Floats) -> Floats:
    """The logarithm of the softmax over the last axis."""
    found: Floats = scores - log_sum(scores)[:, None]
    return found


def best(count: int, scores: Floats, columns: int, shift: Floats, changed: Changed) -> Best:
    """The greatest of the first columns of each row, `count` at most: ids and log-probabilities.

    Log-probabilities are higher than scores by `shift`. What does not exceed `changed.above` is
    left out; an impossible id 0 stands in its place.
    """
    words = scores[:, :columns] + shift[:, None]
    rows, places = np.nonzero((changed.at >= 0) & (changed.at < columns))
    words[rows, changed.at[rows, places]] = changed.instead[rows, places]
    ids, found = top(words, count)
    is_above = found > changed.above[:, None]
    return np.where(is_above, ids, 0), np.where(is_above, found, np.float32(-np.inf))


def top(scores: Floats, count: int) -> Best:
    """The `count` greatest of each row, in no order, with where they are."""
    if count >= scores.shape[1]:
        ids = np.broadcast_to(np.arange(scores.shape[1]), scores.shape)
        return ids, scores
    ids = np.argpartition(scores, scores.shape[1] - count, axis=1)[:, -count:]
    return ids, scores[np.arange(len(scores))[:, None], ids]


def sigmoid(values: Floats) -> Floats:
    """1 / (1 + e^−x), without overflow."""
    result: Floats = 0.5 * np.tanh(0.5 * values) + 0.5
    return result
