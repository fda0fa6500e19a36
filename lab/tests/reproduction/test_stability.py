import pytest

from lab.tests.reproduction.axes import lines_of
from lab.tests.reproduction.synthetic import synthetic_results, synthetic_run, synthetic_sweep
from tersely_lab.reproduction.stability import degenerate, measure_spacing, plot_retention


def test_schemes_that_keep_all_or_none_are_degenerate() -> None:
    assert degenerate(0.0) == degenerate(0.02) == "none"
    assert degenerate(0.98) == degenerate(1.0) == "all"
    assert degenerate(0.5) is None


def test_evenly_spaced_points_have_gaps_without_variation() -> None:
    runs = [synthetic_run("constrained", parameter, 0.5, 0.5) for parameter in (0.2, 0.4, 0.8)]
    points = synthetic_results(*runs).points()
    even = measure_spacing(points, {"Constr(0.2)": 0.8, "Constr(0.4)": 0.5, "Constr(0.8)": 0.2})
    assert even.gap_variation == pytest.approx(0)
    assert even.max_move_per_doubling == pytest.approx(0.3)
    uneven = measure_spacing(points, {"Constr(0.2)": 1.0, "Constr(0.4)": 0.98, "Constr(0.8)": 0.0})
    assert uneven.gap_variation is not None
    assert uneven.gap_variation > 0.9
    assert uneven.largest_gap == pytest.approx(0.98)


def test_a_single_point_has_no_spacing() -> None:
    points = synthetic_results(synthetic_run("linear", 3.0, 0.5, 0.5)).points()
    single = measure_spacing(points, {"Linear(3)": 0.5})
    assert (single.points, single.gap_variation, single.max_move_per_doubling) == (1, None, None)
    assert measure_spacing([], {}).largest_gap is None


def test_retention_is_drawn_over_both_parameters() -> None:
    sweep = synthetic_sweep(synthetic_run("constrained", 0.4, 0.5, 0.5), draws=100)
    linear, constrained = lines_of(plot_retention(sweep))
    assert linear == [([], [])]
    assert constrained[0][0] == [0.4]
