"""LSTM layers in NumPy, with torch's names and gate order (input, forget, cell, output)."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.runtime.kernels.chosen import Matrix, remember

Floats = npt.NDArray[np.float32]
Tensors = Mapping[str, npt.NDArray[Any]]


class Lstm:
    """One direction of one layer."""

    def __init__(self, tensors: Tensors, prefix: str, *, reverse: bool = False) -> None:
        """Take the weights under `prefix`."""
        end = "l0_reverse" if reverse else "l0"
        self._inputs: Floats = tensors[f"{prefix}.weight_ih_{end}"]  # (4 × units, inputs)
        self.recurrence = Matrix(tensors[f"{prefix}.weight_hh_{end}"])  # (units, 4 × units)
        self.bias: Floats = tensors[f"{prefix}.bias_ih_{end}"] + tensors[f"{prefix}.bias_hh_{end}"]

    @property
    def units(self) -> int:
        """Size of the state."""
        return self.recurrence.shape[0]

    @cached_property
    def inputs(self) -> Matrix:
        """What all of an input is multiplied by: (inputs, 4 × units)."""
        return self.inputs_from(0)

    def inputs_from(self, start: int, end: int | None = None) -> Matrix:
        """What a part of an input is multiplied by."""
        return Matrix(self._inputs, start, end)

    def zeros(self, rows: int) -> tuple[Floats, Floats]:
        """A state to start from."""
        return np.zeros((rows, self.units), np.float32), np.zeros((rows, self.units), np.float32)

    def step(self, projected: Floats, hidden: Floats, cell: Floats) -> tuple[Floats, Floats]:
        """Advance by one token, given its input already projected: (rows, 4 × units).

        The projection may be overwritten.
        """
        return remember(self.recurrence.times(hidden, onto=projected), cell)

    def run(
        self, vectors: Floats, lengths: npt.NDArray[np.int64], *, reverse: bool = False
    ) -> tuple[Floats, Floats, Floats]:
        """Read padded sequences (rows, time, inputs); return all states and the last one.

        Past a sequence's end its state stands still, so the last state is that of its
        last token; in reverse, reading starts at that token.
        """
        rows, time, _ = vectors.shape
        projected = self.inputs.times(vectors) + self.bias  # (rows, time, 4 × units)
        hidden, cell = self.zeros(rows)
        states = np.zeros((rows, time, self.units), np.float32)
        for index in reversed(range(time)) if reverse else range(time):
            here = (index < lengths)[:, None]
            new_hidden, new_cell = self.step(projected[:, index], hidden, cell)
            hidden, cell = np.where(here, new_hidden, hidden), np.where(here, new_cell, cell)
            states[:, index] = np.where(here, hidden, 0)
        return states, hidden, cell


def log_sigmoid(values: Floats) -> Floats:
    """The logarithm of the sigmoid, exact at both ends."""
    result: Floats = -np.logaddexp(0, -values)
    return result
