import numpy as np
import pytest

from lab.tests.reproduction.made import made_run
from tersely_lab.reproduction.resampling import interval, measured, resample
from tersely_lab.reproduction.runs import Setting

RUNS = [
    made_run("constrained", 0.4, 0.5, 0.6, seed=1),
    made_run("constrained", 0.4, 0.6, 0.5, seed=2),
    made_run("unif", 0.5, 0.5, 0.2),
]
TWO, ONE = Setting("constrained", 0.4, tuple(RUNS[:2])), Setting("unif", 0.5, (RUNS[2],))


def test_row_0_is_what_was_measured() -> None:
    sample = resample(RUNS, "all", draws=50)
    for run in RUNS:
        for name in ("typed_fraction", "kept_with_eos", "exact_match"):
            assert sample.figures[run.name][name][0] == pytest.approx(run.figures[name])
    assert sample.of(ONE, "exact_match")[0] == pytest.approx(0.2)
    assert sample.of(TWO, "exact_match")[0] == pytest.approx(0.55)


def test_an_interval_over_sentences_is_as_wide_as_theory_has_it() -> None:
    sample = resample(RUNS, "all", draws=2000)
    low, high = interval(sample.of(ONE, "exact_match")) or (0.0, 0.0)
    wanted = 1.96 * np.sqrt(0.2 * 0.8 / 200)
    assert (low, high) == pytest.approx((0.2 - wanted, 0.2 + wanted), abs=0.012)


def test_seeds_are_drawn_where_there_are_several() -> None:
    sample = resample(RUNS, "all", draws=400)
    over_seeds = sample.of(TWO, "exact_match", "seeds")
    assert set(np.round(over_seeds, 6)) == {0.5, 0.55, 0.6}
    assert np.ptp(sample.of(ONE, "exact_match", "seeds")) == 0
    spread = {over: np.std(sample.of(TWO, "exact_match", over)) for over in ("sentences", "both")}
    assert spread["both"] > spread["sentences"]


def test_one_draw_of_seeds_serves_all_figures_of_a_point() -> None:
    sample = resample(RUNS, "all", draws=400)
    exact, typed = (sample.of(TWO, name, "seeds") for name in ("exact_match", "typed_fraction"))
    assert np.corrcoef(exact, typed)[0, 1] == pytest.approx(-1.0)


def test_runs_are_compared_on_the_same_draws() -> None:
    twin = made_run("unif", 0.5, 0.5, 0.2, seed=1)
    sample = resample([RUNS[2], twin], "all", draws=50)
    first, second = (sample.figures[run.name]["exact_match"] for run in (RUNS[2], twin))
    assert first.tolist() == second.tolist()


def test_the_matched_subset_is_of_the_papers_length() -> None:
    whole, short = (resample(RUNS, subset, draws=10) for subset in ("all", "matched"))
    assert short.sentences < whole.sentences
    assert abs(short.tokens_a_sentence - 7) <= abs(whole.tokens_a_sentence - 7)
    assert short.max_tokens < whole.max_tokens


def test_what_cannot_be_read_has_no_interval() -> None:
    assert interval(np.array([0.5, np.nan, np.nan, 0.5])) is None
    assert measured(np.array([np.nan, 1.0])) is None
    assert measured(np.array([0.5, 1.0])) == 0.5
