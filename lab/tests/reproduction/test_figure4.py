import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas

from lab.tests.reproduction.synthetic import synthetic_run
from tersely.evaluation.outcomes import TypeCounts
from tersely_lab.reproduction.figure4 import compute, plot


def types(count: list[int], kept: list[int]) -> TypeCounts:
    names = tuple(f"w{index}" for index in range(len(count)))
    return TypeCounts(names, "w" * len(count), np.array(count), np.array(kept))


def test_dropping_frequent_words_and_keeping_rare_ones_is_a_strong_correlation() -> None:
    count = [5, 6, 7, 8, 9, 50, 60, 70, 80, 90]
    kept = [5, 6, 7, 8, 8, 9, 8, 7, 6, 5]
    frequency = compute(types(count, kept), draws=200)
    correlation, interval = frequency.rank_correlation, frequency.correlation_interval
    assert correlation == pytest.approx(-1, abs=0.05)
    assert correlation is not None
    assert interval is not None
    assert interval[0] <= correlation <= interval[1] < -0.5
    assert frequency.most_frequent[0][:2] == ("w9", 90)
    assert frequency.most_frequent[0][2] == pytest.approx(5 / 90)
    assert frequency.most_frequent_kept == pytest.approx(sum(kept) / sum(count))


def test_every_type_is_in_one_band() -> None:
    frequency = compute(types([1, 1, 2, 3, 4, 7, 8, 100], [1, 0, 1, 0, 4, 0, 8, 25]), draws=100)
    assert [(band.min_occurrences, band.types, band.tokens) for band in frequency.bands] == [
        (1, 2, 2),
        (2, 2, 5),
        (4, 2, 11),
        (8, 1, 8),
        (64, 1, 100),
    ]
    assert frequency.bands[2].kept == pytest.approx(4 / 11)
    assert frequency.types == 3  # seen at least five times


def test_every_word_seen_often_is_a_dot() -> None:
    run = synthetic_run("constrained", 0.4, 0.5, 0.5)
    canvas = Canvas()
    plot(run)(canvas)
    words = run.outcomes.words["all"].types.words_only()
    offsets = np.asarray(canvas.axes[0].collections[0].get_offsets())
    assert len(offsets) == (words.count >= 5).sum()
