"""LSTM layers in NumPy, with torch's names and gate order (input, forget, cell, output)."""

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from tersely.model.quantization import Tensor, dequantize
from tersely.runtime.arrays import Floats, Ids
from tersely.runtime.kernels.backend import Matrix, lstm_cell


class Lstm:
    """One direction of one LSTM layer."""

    def __init__(
        self, tensors: Mapping[str, Tensor], prefix: str, *, reverse: bool = False
    ) -> None:
        """Take the weights whose names start with `prefix`."""
        suffix = "l0_reverse" if reverse else "l0"
        self._input_weight = tensors[f"{prefix}.weight_ih_{suffix}"]  # (4 × units, inputs)
        self.recurrence = Matrix(tensors[f"{prefix}.weight_hh_{suffix}"])  # (units, 4 × units)
        self.bias: Floats = dequantize(tensors[f"{prefix}.bias_ih_{suffix}"]) + dequantize(
            tensors[f"{prefix}.bias_hh_{suffix}"]
        )
        self._reverse = reverse

    @property
    def units(self) -> int:
        """Return the size of the hidden state."""
        return self.recurrence.shape[0]

    @cached_property
    def inputs(self) -> Matrix:
        """Return the input matrix: (inputs, 4 × units)."""
        return self.input_slice(0)

    def input_slice(self, start: int, end: int | None = None) -> Matrix:
        """Return the rows of the input matrix for the inputs start:end."""
        return Matrix(self._input_weight, start, end)

    def zeros(self, rows: int) -> tuple[Floats, Floats]:
        """Return hidden and cell state of zeros."""
        return np.zeros((rows, self.units), np.float32), np.zeros((rows, self.units), np.float32)

    def step(self, projected: Floats, hidden: Floats, cell: Floats) -> tuple[Floats, Floats]:
        """Advance by one token, whose input is already projected: (rows, 4 × units).

        The projection may be overwritten.
        """
        return lstm_cell(self.recurrence.matmul(hidden, add_to=projected), cell)

    def run(self, vectors: Floats, lengths: Ids) -> tuple[Floats, Floats, Floats]:
        """Read padded sequences (rows, time, inputs); return all states and the last ones.

        Past a sequence's end its state does not change, so the last state is that of its last
        token. A reverse layer starts at that token.
        """
        rows, time, _ = vectors.shape
        projected = self.inputs.matmul(vectors) + self.bias  # (rows, time, 4 × units)
        hidden, cell = self.zeros(rows)
        states = np.zeros((rows, time, self.units), np.float32)
        for index in reversed(range(time)) if self._reverse else range(time):
            is_inside = (index < lengths)[:, None]
            new_hidden, new_cell = self.step(projected[:, index], hidden, cell)
            hidden = np.where(is_inside, new_hidden, hidden)
            cell = np.where(is_inside, new_cell, cell)
            states[:, index] = np.where(is_inside, hidden, 0)
        return states, hidden, cell


class BidirectionalLstm:
    """A layer of two directions, whose states are concatenated."""

    def __init__(self, tensors: Mapping[str, Tensor], prefix: str) -> None:
        """Take the weights whose names start with `prefix`."""
        self._forward = Lstm(tensors, prefix)
        self._backward = Lstm(tensors, prefix, reverse=True)

    def run(self, vectors: Floats, lengths: Ids) -> tuple[Floats, Floats, Floats]:
        """Read padded sequences (rows, time, inputs); return all states and the last ones."""
        forward = self._forward.run(vectors, lengths)
        backward = self._backward.run(vectors, lengths)
        states, hidden, cell = (
            np.concatenate(pair, axis=-1) for pair in zip(forward, backward, strict=True)
        )
        return states, hidden, cell


def log_sigmoid(values: Floats) -> Floats:
    """Return the logarithm of the sigmoid, without overflow."""
    result: Floats = -np.logaddexp(0, -values)
    return result
