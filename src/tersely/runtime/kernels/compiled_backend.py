"""The compiled kernels, with the interface of numpy_backend.py."""

import math
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tersely.model.quantization import QuantizedTensor
from tersely.runtime.arrays import Floats
from tersely.runtime.kernels import compiled
from tersely.runtime.kernels.numpy_backend import Overrides, TopK
from tersely.runtime.kernels.pruning import Candidates, Pruned

INTERFACE = 4
if compiled.INTERFACE != INTERFACE:
    raise ImportError("The kernels were compiled from another version; install tersely again.")

BACKEND, PANEL = compiled.INSTRUCTIONS, compiled.PANEL
DtypeT = TypeVar("DtypeT", bound=np.generic)


class Matrix:
    """The weight of a linear layer, packed once: panels of columns, each read from start to end.

    A quantised weight stays int8, a quarter of the memory that a product with a few rows has to
    fetch. Rows are rounded to 16 bits before such a product.
    """

    def __init__(
        self, weight: Floats | QuantizedTensor, start: int = 0, end: int | None = None
    ) -> None:
        """Take a weight of shape (columns, units), as torch stores it, or its units start:end."""
        columns, units = weight.shape
        units = len(range(*slice(start, end).indices(units)))
        self.shape: tuple[int, int] = (units, columns)
        self._float32_panels: Floats | None = None
        self._int8_panels: npt.NDArray[np.int8] | None = None
        if isinstance(weight, QuantizedTensor) and units <= compiled.MAX_INT8_UNITS:
            self._int8_panels = _pairs(_panels(weight.values[:, start:end]))
            self._scales = np.zeros(len(self._int8_panels) * PANEL, np.float32)
            self._scales[:columns] = weight.scales
        else:
            if isinstance(weight, QuantizedTensor):
                weight = weight.dequantized()
            self._float32_panels = _panels(weight[:, start:end])

    @property
    def is_int8(self) -> bool:
        """Whether products use int8 weights."""
        return self._int8_panels is not None

    def matmul(self, rows: Floats, add_to: Floats | None = None) -> Floats:
        """Map (..., units) to (..., columns), plus `add_to`, which may be overwritten."""
        units, columns = self.shape
        flat = np.ascontiguousarray(rows, np.float32)
        if rows.ndim != 2:
            flat = flat.reshape(math.prod(rows.shape[:-1]), units)
        if add_to is None:
            out = np.empty((len(flat), columns), np.float32)
        else:
            out = np.ascontiguousarray(add_to, np.float32).reshape(len(flat), columns)
        if self._int8_panels is not None:
            compiled.multiply_int8(
                rows=flat,
                panels=self._int8_panels,
                scales=self._scales,
                out=out,
                accumulate=add_to is not None,
            )
        elif self._float32_panels is not None:
            compiled.multiply_float32(
                rows=flat, panels=self._float32_panels, out=out, accumulate=add_to is not None
            )
        return out if rows.ndim == 2 else out.reshape(*rows.shape[:-1], columns)


def _panels(weight: npt.NDArray[DtypeT]) -> npt.NDArray[DtypeT]:
    """Map (columns, units) to (panels, units, PANEL)."""
    columns, units = weight.shape
    panels = -(-columns // PANEL)
    padded = np.zeros((panels * PANEL, units), weight.dtype)
    padded[:columns] = weight
    return np.ascontiguousarray(padded.reshape(panels, PANEL, units).transpose(0, 2, 1))


def _pairs(panels: npt.NDArray[DtypeT]) -> npt.NDArray[DtypeT]:
    """Map (panels, units, PANEL) to (panels, pairs of units, 2 × PANEL), column by column."""
    panels = np.pad(panels, ((0, 0), (0, panels.shape[1] % 2), (0, 0)))
    paired = panels.reshape(len(panels), -1, 2, PANEL).transpose(0, 1, 3, 2)
    return np.ascontiguousarray(paired).reshape(*paired.shape[:2], 2 * PANEL)


def lstm_cell(gates: Floats, cell: Floats) -> tuple[Floats, Floats]:
    """Return the next hidden and cell state of an LSTM; see numpy_backend.py."""
    next_hidden, next_cell = np.empty(cell.shape, np.float32), np.empty(cell.shape, np.float32)
    compiled.lstm_cell(
        gates=np.ascontiguousarray(gates),
        cell=np.ascontiguousarray(cell),
        next_hidden=next_hidden,
        next_cell=next_cell,
    )
    return next_hidden, next_cell


def logsumexp(scores: Floats) -> Floats:
    """Return the logarithm of the sum of e^score over the last axis: (rows,)."""
    out = np.empty(len(scores), np.float32)
    compiled.logsumexp(scores=np.ascontiguousarray(scores), out=out)
    return out


def top_k(scores: Floats, count: int) -> TopK:
    """Return the `count` greatest entries of each row, best first; see numpy_backend.py."""
    rows = len(scores)
    return top_k_with_overrides(
        scores,
        count,
        columns=scores.shape[1],
        log_normalizer=np.zeros(rows, np.float32),
        threshold=np.full(rows, -np.inf, np.float32),
        overrides=Overrides(np.empty((rows, 0), np.int64), np.empty((rows, 0), np.float32)),
    )


def top_k_with_overrides(
    scores: Floats,
    count: int,
    *,
    columns: int,
    log_normalizer: Floats,
    threshold: Floats,
    overrides: Overrides,
) -> TopK:
    """Return the top k of some log-probabilities; see numpy_backend.py."""
    count = min(count, columns)
    ids = np.empty((len(scores), count), np.int64)
    values = np.empty(ids.shape, np.float32)
    if not count:
        return ids, values
    # The kernel overrides scores in place, and restores them before it returns.
    writable = scores if scores.flags.carray else scores.copy()
    compiled.top_k(
        scores=writable,
        log_normalizer=np.ascontiguousarray(log_normalizer),
        threshold=np.ascontiguousarray(threshold),
        override_columns=np.ascontiguousarray(overrides.columns),
        override_values=np.ascontiguousarray(overrides.values),
        ids=ids,
        values=values,
        columns=columns,
    )
    return ids, values


def prune(candidates: Candidates, *, width: int, max_duplicates: int, end_id: int) -> Pruned:
    """Choose the best `width` candidates of each sentence; see pruning.py."""
    sentences, max_ended = len(candidates.reserves_slot), candidates.tokens.size
    max_continuing = width * sentences
    sizes = np.empty(sentences, np.int64)
    row = np.empty(max_continuing, np.int64)
    token = np.empty(max_continuing, np.int64)
    matched = np.empty(max_continuing, np.int64)
    score = np.empty(max_continuing, np.float64)
    dedup_key = np.empty(max_continuing, np.uint64)
    ended_row = np.empty(max_ended, np.int64)
    ended_score = np.empty(max_ended, np.float64)
    continuing, ended = compiled.prune(
        scores=candidates.scores,
        tokens=np.ascontiguousarray(candidates.tokens),
        hypothesis_score=candidates.hypothesis_score,
        dedup_key=candidates.dedup_key,
        matched=candidates.matched,
        next_keyword=candidates.next_keyword,
        may_end=candidates.may_end,
        is_ignored=candidates.is_ignored,
        is_forbidden=candidates.is_forbidden,
        starts=candidates.starts,
        reserves_slot=candidates.reserves_slot,
        out_sizes=sizes,
        out_row=row,
        out_token=token,
        out_matched=matched,
        out_score=score,
        out_dedup_key=dedup_key,
        out_ended_row=ended_row,
        out_ended_score=ended_score,
        width=width,
        max_duplicates=max_duplicates,
        end_id=end_id,
    )
    return Pruned(
        sizes=sizes,
        row=row[:continuing],
        token=token[:continuing],
        matched=matched[:continuing],
        score=score[:continuing],
        dedup_key=dedup_key[:continuing],
        ended_row=ended_row[:ended],
        ended_score=ended_score[:ended],
    )
