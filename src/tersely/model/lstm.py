"""LSTM layers in NumPy, with torch's names and gate order (input, forget, cell, output)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.model.multiply import times

Floats = npt.NDArray[np.float32]
Tensors = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Lstm:
    """One direction of one layer."""

    inputs: Floats  # (inputs, 4 × units)
    recurrence: Floats  # (units, 4 × units)
    bias: Floats  # (4 × units,)

    @classmethod
    def load(cls, tensors: Tensors, prefix: str, *, reverse: bool = False) -> "Lstm":
        """Take the weights under `prefix`."""
        end = "l0_reverse" if reverse else "l0"
        return cls(
            np.ascontiguousarray(tensors[f"{prefix}.weight_ih_{end}"].T),
            np.ascontiguousarray(tensors[f"{prefix}.weight_hh_{end}"].T),
            tensors[f"{prefix}.bias_ih_{end}"] + tensors[f"{prefix}.bias_hh_{end}"],
        )

    @property
    def units(self) -> int:
        """Size of the state."""
        return len(self.recurrence)

    def zeros(self, rows: int) -> tuple[Floats, Floats]:
        """A state to start from."""
        return np.zeros((rows, self.units), np.float32), np.zeros((rows, self.units), np.float32)

    def step(self, projected: Floats, hidden: Floats, cell: Floats) -> tuple[Floats, Floats]:
        """Advance by one token, given its input already projected: (rows, 4 × units)."""
        gates = times(hidden, self.recurrence)
        gates += projected
        units = self.units
        kept = sigmoid(gates[:, : 2 * units])  # input and forget gate
        candidate = np.tanh(gates[:, 2 * units : 3 * units])
        cell = kept[:, units:] * cell + kept[:, :units] * candidate
        return sigmoid(gates[:, 3 * units :]) * np.tanh(cell), cell

    def run(
        self, vectors: Floats, lengths: npt.NDArray[np.int64], *, reverse: bool = False
    ) -> tuple[Floats, Floats, Floats]:
        """Read padded sequences (rows, time, inputs); return all states and the last one.

        Past a sequence's end its state stands still, so the last state is that of its
        last token; in reverse, reading starts at that token.
        """
        rows, time, _ = vectors.shape
        projected = vectors @ self.inputs + self.bias  # (rows, time, 4 × units)
        hidden, cell = self.zeros(rows)
        states = np.zeros((rows, time, self.units), np.float32)
        for index in reversed(range(time)) if reverse else range(time):
            here = (index < lengths)[:, None]
            new_hidden, new_cell = self.step(projected[:, index], hidden, cell)
            hidden, cell = np.where(here, new_hidden, hidden), np.where(here, new_cell, cell)
            states[:, index] = np.where(here, hidden, 0)
        return states, hidden, cell


def sigmoid(values: Floats) -> Floats:
    """1 / (1 + e^−x), without overflow."""
    result: Floats = 0.5 * np.tanh(0.5 * values) + 0.5
    return result


def log_sigmoid(values: Floats) -> Floats:
    """The logarithm of the sigmoid, exact at both ends."""
    result: Floats = -np.logaddexp(0, -values)
    return result


def log_softmax(scores: Floats) -> Floats:
    """The logarithm of the softmax over the last axis."""
    shifted: Floats = scores - scores.max(axis=-1, keepdims=True)
    shifted -= np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return shifted
