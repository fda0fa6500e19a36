import numpy as np
import pytest

from lab.tests.reproduction.synthetic import synthetic_run
from tersely_lab.reproduction.cross_decoding import Matrix, Pair
from tersely_lab.reproduction.table2 import (
    accuracy_on_other_keywords,
    difference_interval,
    rising_retentions,
)


def matrix(cells: dict[Pair, list[int]]) -> Matrix:
    exact = {pair: np.array(bits, bool) for pair, bits in cells.items()}
    return Matrix(len(next(iter(exact.values()))), exact, {}, {}, {})


def test_falls_are_counted_along_rising_retention() -> None:
    few, many = synthetic_run("unif", 0.1, 0.1, 0.1), synthetic_run("unif", 0.5, 0.5, 0.1)
    rising = matrix({(few.name, many.name): [0] * 100, (many.name, many.name): [1] * 100})
    [row] = rising_retentions(rising, [many, few])
    assert row.encoders == ("Unif(0.1)", "Unif(0.5)")
    assert (row.accuracies, row.falls, row.clear_falls) == ([0.0, 1.0], 0, 0)
    falling = matrix({(few.name, many.name): [1] * 100, (many.name, many.name): [0] * 100})
    [row] = rising_retentions(falling, [many, few])
    assert (row.falls, row.clear_falls) == (1, 1)
    by_one = matrix({(few.name, many.name): [1] + [0] * 99, (many.name, many.name): [0] * 100})
    [row] = rising_retentions(by_one, [many, few])
    assert (row.falls, row.clear_falls) == (1, 0)


def test_the_interval_of_a_difference_pairs_the_sentences() -> None:
    half = np.array([1] * 50 + [0] * 50, bool)
    assert difference_interval(half, half) == (0.0, 0.0)
    low, high = difference_interval(half, np.zeros(100, bool))
    assert low == pytest.approx(0.4, abs=0.03)
    assert high == pytest.approx(0.6, abs=0.03)


def test_a_decoders_mean_leaves_out_its_own_encoder() -> None:
    tight = synthetic_run("constrained", 0.2, 0.8, 0.1)
    loose = synthetic_run("constrained", 0.8, 0.2, 0.1)
    cells = matrix({(tight.name, tight.name): [1, 1], (loose.name, tight.name): [1, 0]})
    assert accuracy_on_other_keywords(cells, tight, [tight, loose]) == 0.5
    assert accuracy_on_other_keywords(cells, loose, [tight, loose]) is None
