import numpy as np
import pytest

from lab.tests.reproduction.made import made_results, made_run
from tersely.evaluation.outcomes import TypeCounts
from tersely_lab.reproduction.resampling import resample
from tersely_lab.reproduction.restarts import pairs, token_difference


def types(kept: list[int]) -> TypeCounts:
    return TypeCounts((None, None), "ww", np.array([30, 10]), np.array(kept))


def test_token_differences_are_weighted_by_frequency() -> None:
    # |30/30 − 0/30| · 30/40 + |0/10 − 5/10| · 10/40
    assert token_difference(types([30, 0]), types([0, 5])) == pytest.approx(0.75 + 0.125)
    assert token_difference(types([30, 0]), types([30, 0])) == 0


def test_every_two_seeds_of_a_setting_are_a_pair() -> None:
    runs = [made_run("constrained", 0.4, 0.5, 0.5, seed=seed) for seed in (1, 2, 3)]
    results = made_results(*runs, made_run("unif", 0.5, 0.5, 0.1))
    sample = resample(results.runs, "all", draws=100)
    found = pairs(results.settings(), sample)
    assert [(pair.first.seed, pair.second.seed) for pair in found] == [(1, 2), (1, 3), (2, 3)]
    for pair in found:
        assert pair.exact_match == (0.5, 0.5)
        assert pair.exact_interval[0] < 0 < pair.exact_interval[1]
        assert pair.token_interval[0] <= pair.token_difference <= pair.token_interval[1]
        assert pair.kept_with_eos[0] == pytest.approx(pair.first.figures["kept_with_eos"])
