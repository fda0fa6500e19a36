import numpy as np
import pytest

from tersely.runtime.groups import Groups


def test_rows_stand_one_group_after_the_other() -> None:
    groups = Groups(np.array([2, 1, 3]))
    assert groups.bounds.tolist() == [0, 2, 3, 6]
    assert groups.of_row.tolist() == [0, 0, 1, 2, 2, 2]
    assert groups.most == 3


def test_smaller_groups_are_filled_up_with_what_cannot_be() -> None:
    values = np.arange(8, dtype=np.float32).reshape(4, 2)
    found = Groups(np.array([1, 3])).side_by_side(values)
    assert found.tolist() == [[0, 1, -np.inf, -np.inf, -np.inf, -np.inf], [2, 3, 4, 5, 6, 7]]


@pytest.mark.parametrize("sizes", [[2, 2], [4], []])
def test_equal_groups_need_no_filling(sizes: list[int]) -> None:
    values = np.arange(2.0 * sum(sizes), dtype=np.float32).reshape(-1, 2)
    found = Groups(np.array(sizes, np.int64)).side_by_side(values)
    assert found.ravel().tolist() == values.ravel().tolist()
    assert len(found) == len(sizes)
