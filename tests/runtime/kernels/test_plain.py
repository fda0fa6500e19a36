import numpy as np
import pytest
import torch

from tersely.runtime.kernels.plain import (
    MOST,
    Changed,
    Matrix,
    best,
    log_softmax,
    log_sum,
    remember,
    top,
)

RNG = np.random.default_rng(1)


def numbers(*shape: int, scale: float = 1.0) -> np.ndarray:
    return RNG.normal(scale=scale, size=shape).astype(np.float32)


@pytest.mark.parametrize("rows", [0, 1, 2, 3, 5, MOST, MOST + 1, 160])
@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (256, 1024), (300, 1001), (64, 9000)])
def test_a_product_in_parts_is_the_product(rows: int, shape: tuple[int, int]) -> None:
    left, right = numbers(rows, shape[0]), numbers(*shape)
    found = Matrix(right.T).times(left)
    assert found.dtype == np.float32
    assert found.shape == (rows, shape[1])
    np.testing.assert_allclose(found, left.astype(np.float64) @ right, rtol=1e-3, atol=1e-3)


def test_a_product_can_be_added_to_something_and_take_some_units_only() -> None:
    left, right, onto = numbers(4, 5), numbers(8, 9), numbers(4, 9)
    matrix = Matrix(right.T, 2, 7)
    assert matrix.shape == (5, 9)
    expected = left @ right[2:7] + onto
    np.testing.assert_allclose(matrix.times(left, onto.copy()), expected, rtol=1e-5, atol=1e-5)


def test_more_axes_stay() -> None:
    left, right = numbers(3, 4, 5), numbers(5, 9)
    np.testing.assert_allclose(Matrix(right.T).times(left), left @ right, rtol=1e-4, atol=1e-5)


def test_a_step_is_that_of_an_lstm() -> None:
    cell = torch.nn.LSTMCell(3, 6)
    given, hidden, before = torch.randn(4, 3), torch.randn(4, 6), torch.randn(4, 6)
    with torch.no_grad():
        expected_hidden, expected_cell = cell(given, (hidden, before))
        gates = given @ cell.weight_ih.T + hidden @ cell.weight_hh.T + cell.bias_ih + cell.bias_hh
    found_hidden, found_cell = remember(gates.numpy(), before.numpy())
    assert np.allclose(found_hidden, expected_hidden.numpy(), atol=1e-6)
    assert np.allclose(found_cell, expected_cell.numpy(), atol=1e-6)


def test_log_softmax_sums_to_one_whatever_the_size_of_the_scores() -> None:
    scores = np.array([[1e4, 1e4 - 1, -1e4], [0.0, 0.0, 0.0]], np.float32)
    chances = np.exp(log_softmax(scores).astype(np.float64))
    assert chances.sum(axis=1) == pytest.approx([1, 1], abs=1e-3)
    assert chances[1] == pytest.approx([1 / 3] * 3)
    assert log_sum(scores) == pytest.approx([1e4 + np.log(1 + np.exp(-1)), np.log(3)])


def test_top_finds_the_greatest_and_where_they_are() -> None:
    scores = numbers(40, 30)
    ids, found = top(scores, 4)
    assert np.array_equal(found, np.take_along_axis(scores, ids, 1))
    assert np.array_equal(np.sort(found, axis=1), np.sort(scores, axis=1)[:, -4:])
    assert top(scores, 100)[0].shape == scores.shape


def test_the_best_count_with_what_stands_instead_of_some() -> None:
    scores = np.array([[0.0, 1.0, 2.0, 3.0, 9.0]], np.float32)
    at = np.array([[3, 1, -1, 7]])
    instead = np.array([[-np.inf, 50.0, 99.0, 99.0]], np.float32)
    nothing = np.array([-np.inf], np.float32)
    changed = Changed(at, instead, nothing)
    ids, found = best(2, scores, 4, np.array([10.0], np.float32), changed)
    assert dict(zip(ids[0].tolist(), found[0].tolist(), strict=True)) == {2: 12.0, 1: 50.0}
    assert scores.tolist() == [[0.0, 1.0, 2.0, 3.0, 9.0]]
