import numpy as np
import pytest
import torch

from tersely.runtime.kernels.plain import sigmoid
from tersely.runtime.lstm import Lstm, log_sigmoid


@pytest.fixture(scope="module")
def theirs() -> torch.nn.LSTM:
    torch.manual_seed(1)
    return torch.nn.LSTM(5, 4, batch_first=True, bidirectional=True)


def loaded(theirs: torch.nn.LSTM, *, reverse: bool) -> Lstm:
    tensors = {f"x.{name}": tensor.numpy() for name, tensor in theirs.state_dict().items()}
    return Lstm(tensors, "x", reverse=reverse)


@torch.no_grad()
@pytest.mark.parametrize("reverse", [False, True])
def test_it_computes_what_torch_does(theirs: torch.nn.LSTM, reverse: bool) -> None:
    vectors = torch.randn(6, 9, 5, generator=torch.Generator().manual_seed(2))
    lengths = [9, 1, 4, 7, 2, 9]
    states, hidden, cell = loaded(theirs, reverse=reverse).run(
        vectors.numpy(), np.array(lengths), reverse=reverse
    )
    direction = int(reverse)
    for row, length in enumerate(lengths):
        output, (last, last_cell) = theirs(vectors[row : row + 1, :length])
        own = output[0, :, 4 * direction : 4 * direction + 4].numpy()
        assert np.allclose(states[row, :length], own, atol=1e-6)
        assert (states[row, length:] == 0).all()
        assert np.allclose(hidden[row], last[direction, 0].numpy(), atol=1e-6)
        assert np.allclose(cell[row], last_cell[direction, 0].numpy(), atol=1e-6)


def test_padding_is_never_read(theirs: torch.nn.LSTM) -> None:
    vectors = np.ones((1, 4, 5), np.float32)
    padded = vectors.copy()
    padded[:, 2:] = 1e6
    for reverse in (False, True):
        lstm = loaded(theirs, reverse=reverse)
        _, hidden, _ = lstm.run(vectors[:, :2], np.array([2]), reverse=reverse)
        _, with_padding, _ = lstm.run(padded, np.array([2]), reverse=reverse)
        assert np.array_equal(hidden, with_padding)


@pytest.mark.parametrize("value", [-1000.0, -30.0, 0.0, 30.0, 1000.0])
def test_sigmoids_are_exact_at_both_ends(value: float) -> None:
    given = np.array([value], np.float32)
    with np.errstate(all="raise", under="ignore"):
        plain, logarithm = sigmoid(given), log_sigmoid(given)
    expected = torch.tensor(value, dtype=torch.float64)
    assert plain[0] == pytest.approx(float(expected.sigmoid()), abs=1e-7)
    assert logarithm[0] == pytest.approx(float(torch.nn.functional.logsigmoid(expected)), rel=1e-6)
