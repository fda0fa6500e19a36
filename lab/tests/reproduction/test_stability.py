import pytest

from lab.tests.reproduction.made import made_results, made_run
from tersely_lab.reproduction.stability import control, degenerate, descent, series, spread


def test_schemes_that_keep_all_or_none_are_degenerate() -> None:
    assert degenerate(0.0) == degenerate(0.02) == "none"
    assert degenerate(0.98) == degenerate(1.0) == "all"
    assert degenerate(0.5) is None


def test_even_points_have_no_variation() -> None:
    runs = [made_run("constrained", parameter, 0.5, 0.5) for parameter in (0.2, 0.4, 0.8)]
    settings = made_results(*runs).settings()
    even = spread(settings, {"Constr(0.2)": 0.8, "Constr(0.4)": 0.5, "Constr(0.8)": 0.2})
    assert even.gap_variation == pytest.approx(0)
    assert even.most_a_doubling == pytest.approx(0.3)
    uneven = spread(settings, {"Constr(0.2)": 1.0, "Constr(0.4)": 0.98, "Constr(0.8)": 0.0})
    assert uneven.gap_variation > 0.9
    assert uneven.largest_gap == pytest.approx(0.98)


def test_of_few_points_little_is_told() -> None:
    settings = made_results(made_run("linear", 3.0, 0.5, 0.5)).settings()
    found = spread(settings, {"Linear(3)": 0.5})
    assert (found.points, found.gap_variation, found.most_a_doubling) == (1, None, None)
    assert spread([], {}).largest_gap is None


@pytest.mark.parametrize(
    ("kept", "as_described"),
    [
        ((0.95, 0.9, 0.85, 0.75, 0.65, 0.6), True),
        ((0.95, 0.95, 0.95, 0.95, 0.3, 0.3), False),  # all at once
        ((0.5, 0.5, 0.5, 0.45, 0.4, 0.3), False),  # never kept most
        ((0.95, 0.95, 0.95, 0.95, 0.95, 0.94), False),  # never came down
    ],
)
def test_a_slow_descent_is_told_from_others(kept: tuple, as_described: bool) -> None:
    found = descent(made_run("constrained", 0.4, 0.5, 0.5, kept_course=kept))
    assert found is not None
    assert found.is_as_described is as_described
    assert (found.early_peak, found.end) == (kept[0], kept[-1])


def test_two_judgements_are_too_few_for_a_course() -> None:
    assert descent(made_run("constrained", 0.4, 0.5, 0.5, kept_course=(0.9, 0.5))) is None


def test_a_series_is_of_one_kind_of_line() -> None:
    run = made_run("linear", 3.0, 0.5, 0.5, kept_course=(0.9, 0.5, 0.4))
    assert series(run, "kept_fraction", "dev") == [(100, 0.9), (200, 0.5), (300, 0.4)]
    assert series(run, "nothing", "dev") == []


def test_epsilon_is_met_when_the_loss_is_below_it() -> None:
    assert control(made_run("constrained", 0.4, 0.5, 0.5, loss=0.39)).is_met
    assert not control(made_run("constrained", 0.4, 0.5, 0.5, loss=0.41)).is_met
