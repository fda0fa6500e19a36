import numpy as np
import pytest

from lab.tests.reproduction.synthetic import synthetic_run
from tersely_lab.reproduction.bootstrap import Over, bootstrap, interval, measured
from tersely_lab.reproduction.runs import Point

RUNS = [
    synthetic_run("constrained", 0.4, 0.5, 0.6, seed=1),
    synthetic_run("constrained", 0.4, 0.6, 0.5, seed=2),
    synthetic_run("unif", 0.5, 0.5, 0.2),
]
TWO_SEEDS = Point("constrained", 0.4, tuple(RUNS[:2]))
ONE_SEED = Point("unif", 0.5, (RUNS[2],))


def test_row_0_is_the_measured_value() -> None:
    sample = bootstrap(RUNS, "all", draws=50)
    for run in RUNS:
        for name in ("typed_fraction", "kept_with_eos", "exact_match"):
            assert sample.run_value(run, name) == pytest.approx(run.evaluation[name])
    assert sample.value(ONE_SEED, "exact_match") == pytest.approx(0.2)
    assert sample.value(TWO_SEEDS, "exact_match") == pytest.approx(0.55)


def test_an_interval_over_sentences_is_as_wide_as_theory_has_it() -> None:
    sample = bootstrap(RUNS, "all", draws=2000)
    low, high = interval(sample.of(ONE_SEED, "exact_match")) or (0.0, 0.0)
    margin = 1.96 * np.sqrt(0.2 * 0.8 / 200)
    assert (low, high) == pytest.approx((0.2 - margin, 0.2 + margin), abs=0.012)


def test_seeds_are_drawn_where_there_are_several() -> None:
    sample = bootstrap(RUNS, "all", draws=400)
    over_seeds = sample.of(TWO_SEEDS, "exact_match", "seeds")
    assert set(np.round(over_seeds, 6)) == {0.5, 0.55, 0.6}
    assert np.ptp(sample.of(ONE_SEED, "exact_match", "seeds")) == 0

    def deviation(over: Over) -> float:
        return float(np.std(sample.of(TWO_SEEDS, "exact_match", over)))

    assert deviation("both") > deviation("sentences")


def test_all_metrics_of_a_point_share_its_draw_of_seeds() -> None:
    sample = bootstrap(RUNS, "all", draws=400)
    exact = sample.of(TWO_SEEDS, "exact_match", "seeds")
    typed = sample.of(TWO_SEEDS, "typed_fraction", "seeds")
    assert np.corrcoef(exact, typed)[0, 1] == pytest.approx(-1.0)


def test_runs_are_compared_on_the_same_draws() -> None:
    twin = synthetic_run("unif", 0.5, 0.5, 0.2, seed=1)
    sample = bootstrap([RUNS[2], twin], "all", draws=50)
    first, second = (sample.metrics[run.name]["exact_match"] for run in (RUNS[2], twin))
    assert first.tolist() == second.tolist()


def test_the_matched_subset_has_about_the_papers_sentence_length() -> None:
    whole, short = bootstrap(RUNS, "all", draws=10), bootstrap(RUNS, "matched", draws=10)
    assert short.sentences < whole.sentences
    assert abs(short.tokens_per_sentence - 7) <= abs(whole.tokens_per_sentence - 7)
    assert short.max_tokens < whole.max_tokens


def test_draws_that_are_not_numbers_have_no_interval() -> None:
    assert interval(np.array([0.5, np.nan, np.nan, 0.5])) is None
    assert measured(np.array([np.nan, 1.0])) is None
    assert measured(np.array([0.5, 1.0])) == 0.5
