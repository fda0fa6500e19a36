import numpy as np
import pytest

from tersely_lab.reproduction.correlation import rank_correlation, ranks, variance_explained


def test_equal_values_share_their_mean_rank() -> None:
    assert ranks(np.array([10.0, 20.0, 10.0, 30.0])).tolist() == [1.5, 3.0, 1.5, 4.0]


def test_rank_correlation_is_spearmans() -> None:
    rising = np.array([1.0, 5.0, 7.0, 100.0])
    assert rank_correlation(rising, rising**3) == pytest.approx(1)
    assert rank_correlation(rising, -rising) == pytest.approx(-1)
    # by hand: ranks 1 2 3 4 and 2 1 4 3, ρ = 1 − 6·4 / (4·15)
    assert rank_correlation(rising, [2.0, 1.0, 9.0, 3.0]) == pytest.approx(0.6)
    assert rank_correlation(rising, np.ones(4)) is None
    assert rank_correlation([1.0, 2.0], [1.0, 2.0]) is None


def test_groups_explain_all_of_the_variance_or_none() -> None:
    assert variance_explained([(10, 10), (10, 0)]) == pytest.approx(1)
    assert variance_explained([(10, 5), (10, 5)]) == pytest.approx(0)
    assert variance_explained([(10, 0)]) is None
    assert variance_explained([]) is None
