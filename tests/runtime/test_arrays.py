import numpy as np
import pytest

from tersely.runtime.arrays import RowGroups, pad
from tersely.text.vocabulary import PAD_ID


def test_rows_are_padded_to_the_longest() -> None:
    ids, lengths = pad([[5], [7, 8, 9], []])
    assert ids.tolist() == [[5, PAD_ID, PAD_ID], [7, 8, 9], [PAD_ID] * 3]
    assert lengths.tolist() == [1, 3, 0]
    assert ids.dtype == lengths.dtype == np.int64


def test_empty_rows_have_one_column() -> None:
    assert pad([[], []])[0].tolist() == [[PAD_ID], [PAD_ID]]


def test_no_rows_are_no_rows() -> None:
    ids, lengths = pad([])
    assert ids.shape == (0, 1)
    assert lengths.shape == (0,)


def test_groups_are_consecutive_rows() -> None:
    groups = RowGroups(np.array([2, 1, 3]))
    assert groups.bounds.tolist() == [0, 2, 3, 6]
    assert groups.of_row.tolist() == [0, 0, 1, 2, 2, 2]
    assert groups.max_size == 3


def test_smaller_groups_are_filled_with_minus_infinity() -> None:
    values = np.arange(8, dtype=np.float32).reshape(4, 2)
    rows = RowGroups(np.array([1, 3])).concatenated(values)
    assert rows.tolist() == [[0, 1, -np.inf, -np.inf, -np.inf, -np.inf], [2, 3, 4, 5, 6, 7]]


@pytest.mark.parametrize("sizes", [[2, 2], [4], []])
def test_equal_groups_need_no_filling(sizes: list[int]) -> None:
    values = np.arange(2.0 * sum(sizes), dtype=np.float32).reshape(-1, 2)
    rows = RowGroups(np.array(sizes, np.int64)).concatenated(values)
    assert rows.ravel().tolist() == values.ravel().tolist()
    assert len(rows) == len(sizes)
