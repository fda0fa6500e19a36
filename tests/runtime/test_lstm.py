import numpy as np
import pytest
import torch

from tersely.model.quantization import Tensor
from tersely.runtime.kernels.numpy_backend import sigmoid
from tersely.runtime.lstm import BidirectionalLstm, Lstm, log_sigmoid

UNITS = 4


@pytest.fixture(scope="module")
def theirs() -> torch.nn.LSTM:
    torch.manual_seed(1)
    return torch.nn.LSTM(5, UNITS, batch_first=True, bidirectional=True)


def tensors_of(theirs: torch.nn.LSTM) -> dict[str, Tensor]:
    return {f"x.{name}": tensor.numpy() for name, tensor in theirs.state_dict().items()}


@pytest.mark.parametrize("reverse", [False, True])
def test_states_equal_those_of_torch(theirs: torch.nn.LSTM, reverse: bool) -> None:
    vectors = torch.randn(6, 9, 5, generator=torch.Generator().manual_seed(2))
    lengths = [9, 1, 4, 7, 2, 9]
    lstm = Lstm(tensors_of(theirs), "x", reverse=reverse)
    states, hidden, cell = lstm.run(vectors.numpy(), np.array(lengths))
    direction = int(reverse)
    for row, length in enumerate(lengths):
        with torch.no_grad():
            output, (last, last_cell) = theirs(vectors[row : row + 1, :length])
        expected = output[0, :, UNITS * direction : UNITS * (direction + 1)].numpy()
        assert np.allclose(states[row, :length], expected, atol=1e-6)
        assert (states[row, length:] == 0).all()
        assert np.allclose(hidden[row], last[direction, 0].numpy(), atol=1e-6)
        assert np.allclose(cell[row], last_cell[direction, 0].numpy(), atol=1e-6)


def test_both_directions_are_concatenated(theirs: torch.nn.LSTM) -> None:
    vectors = np.random.default_rng(1).normal(size=(3, 6, 5)).astype(np.float32)
    lengths, tensors = np.array([6, 2, 0]), tensors_of(theirs)
    both = BidirectionalLstm(tensors, "x").run(vectors, lengths)
    forward = Lstm(tensors, "x").run(vectors, lengths)
    backward = Lstm(tensors, "x", reverse=True).run(vectors, lengths)
    for joined, first, second in zip(both, forward, backward, strict=True):
        assert np.array_equal(joined[..., :UNITS], first)
        assert np.array_equal(joined[..., UNITS:], second)


def test_padding_is_never_read(theirs: torch.nn.LSTM) -> None:
    vectors = np.ones((1, 4, 5), np.float32)
    with_padding = vectors.copy()
    with_padding[:, 2:] = 1e6
    for reverse in (False, True):
        lstm = Lstm(tensors_of(theirs), "x", reverse=reverse)
        _, expected, _ = lstm.run(vectors[:, :2], np.array([2]))
        _, hidden, _ = lstm.run(with_padding, np.array([2]))
        assert np.array_equal(hidden, expected)


@pytest.mark.parametrize("value", [-1000.0, -30.0, 0.0, 30.0, 1000.0])
def test_sigmoids_do_not_overflow(value: float) -> None:
    values = np.array([value], np.float32)
    with np.errstate(all="raise", under="ignore"):
        probability, log_probability = sigmoid(values), log_sigmoid(values)
    expected = torch.tensor(value, dtype=torch.float64)
    assert probability[0] == pytest.approx(float(expected.sigmoid()), abs=1e-7)
    log_expected = torch.nn.functional.logsigmoid(expected)
    assert log_probability[0] == pytest.approx(float(log_expected), rel=1e-6)
