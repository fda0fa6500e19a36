import numpy as np

from tersely.runtime.arrays import padded
from tersely.text.vocabulary import PAD_ID


def test_rows_are_filled_up_to_the_longest() -> None:
    ids, lengths = padded([[5], [7, 8, 9], []])
    assert ids.tolist() == [[5, PAD_ID, PAD_ID], [7, 8, 9], [PAD_ID] * 3]
    assert lengths.tolist() == [1, 3, 0]
    assert ids.dtype == lengths.dtype == np.int64


def test_there_is_a_column_even_where_there_are_no_words() -> None:
    assert padded([[], []])[0].tolist() == [[PAD_ID], [PAD_ID]]


def test_no_rows_are_no_rows() -> None:
    ids, lengths = padded([])
    assert ids.shape == (0, 1)
    assert lengths.shape == (0,)
