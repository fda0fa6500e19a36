import numpy as np
import pytest

from lab.tests.reproduction.synthetic import synthetic_results, synthetic_run
from tersely.evaluation.outcomes import TypeCounts
from tersely_lab.reproduction.bootstrap import bootstrap
from tersely_lab.reproduction.restarts import compare_seeds, token_difference


def types(kept: list[int]) -> TypeCounts:
    return TypeCounts((None, None), "ww", np.array([30, 10]), np.array(kept))


def test_token_differences_are_weighted_by_frequency() -> None:
    # |30/30 − 0/30| · 30/40 + |0/10 − 5/10| · 10/40
    assert token_difference(types([30, 0]), types([0, 5])) == pytest.approx(0.75 + 0.125)
    assert token_difference(types([30, 0]), types([30, 0])) == 0


def test_every_two_seeds_of_a_point_are_compared() -> None:
    runs = [synthetic_run("constrained", 0.4, 0.5, 0.5, seed=seed) for seed in (1, 2, 3)]
    results = synthetic_results(*runs, synthetic_run("unif", 0.5, 0.5, 0.1))
    restarts = compare_seeds(results.points(), bootstrap(results.runs, "all", draws=100))
    assert [(one.first.seed, one.second.seed) for one in restarts] == [(1, 2), (1, 3), (2, 3)]
    for one in restarts:
        assert one.exact_match == (0.5, 0.5)
        assert one.exact_interval[0] < 0 < one.exact_interval[1]
        assert one.token_interval[0] <= one.token_difference <= one.token_interval[1]
        assert one.kept_with_eos[0] == pytest.approx(one.first.evaluation["kept_with_eos"])
