import numpy as np
import numpy.typing as npt
import pytest

from tersely.evaluation.intervals import bootstrap_interval, bootstrap_sums, percentile_interval

Floats = npt.NDArray[np.float64]


def table(seed: int, rows: int = 120) -> Floats:
    """Sentences of 1 to 9 tokens, each token typed with probability 0.3."""
    rng = np.random.default_rng(seed)
    tokens = rng.integers(1, 10, rows)
    return np.stack([rng.binomial(tokens, 0.3), tokens], axis=1).astype(np.float64)


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    covered = 0
    for seed in range(200):
        low, high = bootstrap_interval(table(seed), above=0, below=1, resamples=300)
        assert low < high
        covered += low <= 0.3 <= high
    assert 0.90 <= covered / 200 <= 0.99


def test_the_interval_lies_around_the_pooled_fraction() -> None:
    for seed in range(20):
        rows = table(seed)
        low, high = bootstrap_interval(rows, above=0, below=1)
        assert low < rows[:, 0].sum() / rows[:, 1].sum() < high


def test_the_same_sentences_give_the_same_interval() -> None:
    interval = bootstrap_interval(table(1), above=0, below=1)
    assert interval == bootstrap_interval(table(1), above=0, below=1)
    assert interval != bootstrap_interval(table(1), above=0, below=1, seed=2)


def test_more_sentences_or_a_lower_level_make_it_narrower() -> None:
    def width(rows: int, level: float) -> float:
        low, high = bootstrap_interval(table(3, rows), above=0, below=1, level=level)
        return high - low

    assert width(2000, 0.95) < width(100, 0.95)
    assert width(500, 0.5) < width(500, 0.95)


def test_the_interval_is_as_wide_as_theory_predicts() -> None:
    rows = np.ones((400, 2))
    rows[::2, 0] = 0  # a coin: the standard error of the mean is 0.5 / √400
    low, high = bootstrap_interval(rows, above=0, below=1, resamples=4000)
    assert high - low == pytest.approx(2 * 1.96 * 0.5 / 20, rel=0.08)


def test_constant_values_have_no_width() -> None:
    assert bootstrap_interval(np.ones((5, 2)), above=0, below=1) == (1.0, 1.0)


def test_all_columns_share_a_draw() -> None:
    tokens = table(1)
    sums = bootstrap_sums(np.concatenate([tokens, tokens], axis=1), resamples=20)
    assert sums.shape == (20, 4)
    assert (sums[:, :2] == sums[:, 2:]).all()
    assert len(set(sums[:, 1])) > 1
    expected = bootstrap_interval(tokens, above=0, below=1, resamples=20)
    assert percentile_interval(sums[:, 0], sums[:, 1]) == expected


def test_draws_that_divide_by_zero_do_not_count() -> None:
    upper, lower = np.array([0.0, 1.0, 1.0]), np.array([0.0, 2.0, 2.0])
    assert percentile_interval(upper, lower) == (0.5, 0.5)
