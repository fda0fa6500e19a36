"""The kernels compiled: the same as those of plain.py and beam.py."""

import math
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tersely.runtime.kernels import compiled
from tersely.runtime.kernels.beam import Field, Followed
from tersely.runtime.kernels.plain import Best, Changed, Floats

INTERFACE = 2
if compiled.INTERFACE != INTERFACE:
    raise ImportError("The kernels were compiled from another version; install tersely again.")

KIND, PANEL = compiled.INSTRUCTIONS, compiled.PANEL
GREATEST = 127
NEARLY = 1e-3  # of a step; float32 is good for a hundredth of that
FIRST = 4  # columns that tell most matrices apart
KindT = TypeVar("KindT", bound=np.generic)


class Matrix:
    """A matrix packed once: panels of some columns, each read from its start to its end.

    One whose columns are whole multiples of a step of their own, as model/quantization.py stores
    them, is kept in bytes: a quarter of what a few rows have to be fetched from memory for.
    Rows are rounded to 16 bits before they meet it.
    """

    def __init__(self, weight: Floats, start: int = 0, end: int | None = None) -> None:
        """Take it as torch keeps a layer's weight, (columns, units), or some units of it."""
        self.shape: tuple[int, int] = (weight[:, start:end].shape[1], weight.shape[0])
        # Only wide instructions multiply bytes fast.
        may = KIND != "any" and self.shape[0] <= compiled.MOST_UNITS
        found = in_steps(weight) if may else None
        self._panels: Floats | None = None
        self._bytes: npt.NDArray[np.int8] | None = None
        if found is None:
            self._panels = _panels(weight[:, start:end])
        else:
            whole, steps = found
            self._bytes = _pairs(_panels(whole[:, start:end]))
            self._scales = np.zeros(len(self._bytes) * PANEL, np.float32)
            self._scales[: len(steps)] = steps

    def times(self, rows: Floats, onto: Floats | None = None) -> Floats:
        """Map (..., units) to (..., columns); what it is added to may be overwritten."""
        units, columns = self.shape
        flat = np.ascontiguousarray(rows, np.float32)
        if rows.ndim != 2:
            flat = flat.reshape(math.prod(rows.shape[:-1]), units)
        adds = onto is not None
        found = np.empty((len(flat), columns), np.float32)
        if onto is not None:
            found = np.ascontiguousarray(onto, np.float32).reshape(found.shape)
        if self._bytes is not None:
            compiled.multiply_bytes(flat, self._bytes, self._scales, found, adds)
        elif self._panels is not None:
            compiled.multiply(flat, self._panels, found, adds)
        return found if rows.ndim == 2 else found.reshape(*rows.shape[:-1], columns)


def in_steps(weight: Floats) -> tuple[npt.NDArray[np.int8], Floats] | None:
    """Each column as whole multiples of a step, −127 to 127 of them, and its step, if all are."""
    if not weight.size or _multiples(weight[:FIRST]) is None:
        return None
    return _multiples(weight)


def _multiples(weight: Floats) -> tuple[npt.NDArray[np.int8], Floats] | None:
    greatest = np.maximum(weight.max(axis=1), -weight.min(axis=1))
    smallest = np.finfo(np.float32).tiny
    steps: Floats = greatest / np.float32(GREATEST)
    steps = np.where(steps > smallest, steps, np.float32(1))
    multiples = weight / steps[:, None]
    whole = np.rint(multiples)
    multiples -= whole
    is_near = np.abs(multiples, out=multiples).max() < NEARLY
    return (whole.astype(np.int8), steps) if is_near else None


def _panels(weight: npt.NDArray[KindT]) -> npt.NDArray[KindT]:
    """Map (columns, units) to (panels, units, PANEL)."""
    columns, units = weight.shape
    panels = -(-columns // PANEL)
    padded = np.zeros((panels * PANEL, units), weight.dtype)
    padded[:columns] = weight
    return np.ascontiguousarray(padded.reshape(panels, PANEL, units).transpose(0, 2, 1))


def _pairs(panels: npt.NDArray[KindT]) -> npt.NDArray[KindT]:
    """Map (panels, units, PANEL) to (panels, pairs of units, 2 × PANEL), column by column."""
    panels = np.pad(panels, ((0, 0), (0, panels.shape[1] % 2), (0, 0)))
    paired = panels.reshape(len(panels), -1, 2, PANEL).transpose(0, 1, 3, 2)
    return np.ascontiguousarray(paired).reshape(*paired.shape[:2], 2 * PANEL)


def remember(gates: Floats, before: Floats) -> tuple[Floats, Floats]:
    """One step of an LSTM behind its products: hidden and cell state, (rows, units) each."""
    hidden, cell = np.empty(before.shape, np.float32), np.empty(before.shape, np.float32)
    compiled.remember(np.ascontiguousarray(gates), np.ascontiguousarray(before), hidden, cell)
    return hidden, cell


def log_sum(scores: Floats) -> Floats:
    """The logarithm of the sum of e^score over the last axis: (rows,)."""
    found = np.empty(len(scores), np.float32)
    compiled.log_sum(np.ascontiguousarray(scores), found)
    return found


def best(count: int, scores: Floats, columns: int, shift: Floats, changed: Changed) -> Best:
    """The greatest of each row, best first; see plain.py."""
    wanted = min(count, columns)
    ids = np.empty((len(scores), wanted), np.int64)
    found = np.empty(ids.shape, np.float32)
    if not wanted:
        return ids, found
    own = scores if scores.flags.carray else scores.copy()  # written to, and as before afterwards
    above, at = np.ascontiguousarray(changed.above), np.ascontiguousarray(changed.at)
    instead = np.ascontiguousarray(changed.instead)
    compiled.best(own, np.ascontiguousarray(shift), above, at, instead, ids, found, columns)
    return ids, found


def top(scores: Floats, count: int) -> Best:
    """The `count` greatest of each row, best first, with where they are."""
    rows = len(scores)
    nothing = np.full(rows, -np.inf, np.float32)
    none = Changed(np.empty((rows, 0), np.int64), np.empty((rows, 0), np.float32), nothing)
    return best(count, scores, scores.shape[1], np.zeros(rows, np.float32), none)


def follow(field: Field, *, width: int, alike: int, end: int) -> Followed:
    """Choose the best `width` candidates of each sentence to go on with; see beam.py."""
    room, most = width * len(field.is_marked), field.words.size
    sizes = np.empty(len(field.is_marked), np.int64)
    row, word, placed = (np.empty(room, np.int64) for _ in range(3))
    score, heard = np.empty(room, np.float64), np.empty(room, np.uint64)
    ended_row, ended_score = np.empty(most, np.int64), np.empty(most, np.float64)
    going, ended = compiled.follow(
        field.scores,
        np.ascontiguousarray(field.words),
        field.so_far,
        field.heard,
        field.placed,
        field.keyword,
        field.may_end,
        field.is_silent,
        field.is_barred,
        field.starts,
        field.is_marked,
        sizes,
        row,
        word,
        placed,
        score,
        heard,
        ended_row,
        ended_score,
        width,
        alike,
        end,
    )
    return Followed(
        sizes,
        row[:going],
        word[:going],
        placed[:going],
        score[:going],
        heard[:going],
        ended_row[:ended],
        ended_score[:ended],
    )
