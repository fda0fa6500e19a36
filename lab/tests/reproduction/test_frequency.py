import numpy as np
import pytest

from tersely.evaluation.outcomes import TypeCounts
from tersely_lab.reproduction.frequency import explained, frequency, rank_correlation, ranks


def types(count: list[int], kept: list[int]) -> TypeCounts:
    names = tuple(f"w{index}" for index in range(len(count)))
    return TypeCounts(names, "w" * len(count), np.array(count), np.array(kept))


def test_equal_values_share_their_ranks() -> None:
    assert ranks(np.array([10.0, 20.0, 10.0, 30.0])).tolist() == [1.5, 3.0, 1.5, 4.0]


def test_rank_correlation_is_spearmans() -> None:
    rising = np.array([1.0, 5.0, 7.0, 100.0])
    assert rank_correlation(rising, rising**3) == pytest.approx(1)
    assert rank_correlation(rising, -rising) == pytest.approx(-1)
    # by hand: ranks 1 2 3 4 and 2 1 4 3, ρ = 1 − 6·4 / (4·15)
    assert rank_correlation(rising, np.array([2.0, 1.0, 9.0, 3.0])) == pytest.approx(0.6)
    assert rank_correlation(rising, np.ones(4)) is None


def test_frequent_words_dropped_and_rare_ones_kept_is_a_strong_correlation() -> None:
    count = [5, 6, 7, 8, 9, 50, 60, 70, 80, 90]
    kept = [5, 6, 7, 8, 8, 9, 8, 7, 6, 5]
    found = frequency(types(count, kept), draws=200)
    assert found.rank_correlation == pytest.approx(-1, abs=0.05)
    low, high = found.correlation_interval
    assert low <= found.rank_correlation <= high < -0.5
    assert found.most_frequent[0] == ("w9", 90, pytest.approx(5 / 90))
    assert found.most_frequent_kept == pytest.approx(sum(kept) / sum(count))


def test_bands_hold_every_type_once() -> None:
    found = frequency(types([1, 1, 2, 3, 4, 7, 8, 100], [1, 0, 1, 0, 4, 0, 8, 25]), draws=100)
    assert [(one.seen_from, one.types, one.tokens) for one in found.bins] == [
        (1, 2, 2),
        (2, 2, 5),
        (4, 2, 11),
        (8, 1, 8),
        (64, 1, 100),
    ]
    assert found.bins[2].kept == pytest.approx(4 / 11)
    assert found.types == 3  # seen at least five times


def test_groups_explain_all_or_nothing() -> None:
    assert explained([(10, 10), (10, 0)]) == pytest.approx(1)
    assert explained([(10, 5), (10, 5)]) == pytest.approx(0)
    assert explained([(10, 0)]) is None
    assert explained([]) is None
