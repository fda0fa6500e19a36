import numpy as np
import pytest
import torch

from tersely.model.quantization import quantize
from tersely.runtime.arrays import Floats
from tersely.runtime.kernels.numpy_backend import (
    MAX_SPLIT_ROWS,
    Matrix,
    Overrides,
    log_softmax,
    logsumexp,
    lstm_cell,
    top_k,
    top_k_with_overrides,
)

RNG = np.random.default_rng(1)


def normal(*shape: int, scale: float = 1.0) -> Floats:
    return RNG.normal(scale=scale, size=shape).astype(np.float32)


@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (256, 1024), (300, 1001), (64, 9000)])
def test_a_product_in_parts_is_the_product(shape: tuple[int, int]) -> None:
    for rows in (0, 1, 2, 3, 5, MAX_SPLIT_ROWS, MAX_SPLIT_ROWS + 1, 160):
        left, right = normal(rows, shape[0]), normal(*shape)
        product = Matrix(right.T).matmul(left)
        assert product.dtype == np.float32
        assert product.shape == (rows, shape[1])
        np.testing.assert_allclose(product, left.astype(np.float64) @ right, rtol=1e-3, atol=1e-3)


def test_a_product_can_be_added_to_something_and_use_some_units_only() -> None:
    left, right, add_to = normal(4, 5), normal(8, 9), normal(4, 9)
    matrix = Matrix(right.T, 2, 7)
    assert matrix.shape == (5, 9)
    expected = left @ right[2:7] + add_to
    np.testing.assert_allclose(matrix.matmul(left, add_to.copy()), expected, rtol=1e-5, atol=1e-5)


def test_a_product_keeps_leading_axes() -> None:
    left, right = normal(3, 4, 5), normal(5, 9)
    np.testing.assert_allclose(Matrix(right.T).matmul(left), left @ right, rtol=1e-4, atol=1e-5)


def test_a_quantised_weight_is_dequantised() -> None:
    weight, rows = quantize(normal(9, 5)), normal(2, 3)
    matrix = Matrix(weight, 1, 4)
    assert matrix.shape == (3, 9)
    expected = rows @ weight.dequantized()[:, 1:4].T
    np.testing.assert_allclose(matrix.matmul(rows), expected, rtol=1e-5, atol=1e-5)


def test_an_lstm_cell_is_torchs() -> None:
    torch_cell = torch.nn.LSTMCell(3, 6)
    inputs, hidden, cell = torch.randn(4, 3), torch.randn(4, 6), torch.randn(4, 6)
    with torch.no_grad():
        expected_hidden, expected_cell = torch_cell(inputs, (hidden, cell))
        gates = inputs @ torch_cell.weight_ih.T + hidden @ torch_cell.weight_hh.T
        gates += torch_cell.bias_ih + torch_cell.bias_hh
    next_hidden, next_cell = lstm_cell(gates.numpy(), cell.numpy())
    assert np.allclose(next_hidden, expected_hidden.numpy(), atol=1e-6)
    assert np.allclose(next_cell, expected_cell.numpy(), atol=1e-6)


def test_log_softmax_sums_to_one_whatever_the_size_of_the_scores() -> None:
    scores = np.array([[1e4, 1e4 - 1, -1e4], [0.0, 0.0, 0.0]], np.float32)
    probabilities = np.exp(log_softmax(scores).astype(np.float64))
    assert probabilities.sum(axis=1) == pytest.approx([1, 1], abs=1e-3)
    assert probabilities[1] == pytest.approx([1 / 3] * 3)
    assert logsumexp(scores) == pytest.approx([1e4 + np.log(1 + np.exp(-1)), np.log(3)])


def test_overrides_replace_log_probabilities_and_leave_scores_alone() -> None:
    scores = np.array([[0.0, 1.0, 2.0, 3.0, 9.0]], np.float32)
    overrides = Overrides(
        columns=np.array([[3, 1, -1, 7]]),
        values=np.array([[-np.inf, 50.0, 99.0, 99.0]], np.float32),
    )
    ids, values = top_k_with_overrides(
        scores,
        2,
        columns=4,
        log_normalizer=np.array([10.0], np.float32),
        threshold=np.array([-np.inf], np.float32),
        overrides=overrides,
    )
    assert ids.tolist() == [[1, 2]]
    assert values.tolist() == [[50.0, 12.0]]
    assert scores.tolist() == [[0.0, 1.0, 2.0, 3.0, 9.0]]


def test_top_k_of_more_than_there_is_returns_all() -> None:
    ids, values = top_k(normal(3, 4), 100)
    assert ids.shape == values.shape == (3, 4)
