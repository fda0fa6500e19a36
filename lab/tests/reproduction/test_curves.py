import numpy as np
import pytest

from lab.tests.reproduction.synthetic import synthetic_results, synthetic_run
from tersely_lab.reproduction.bootstrap import bootstrap
from tersely_lab.reproduction.curves import (
    compare_at_every_accuracy,
    compare_at_every_retention,
    measure_lead,
    measure_leads,
    read_curve,
)

RESULTS = synthetic_results(
    synthetic_run("constrained", 0.8, 0.2, 0.2),
    synthetic_run("constrained", 0.2, 0.8, 0.9),
    synthetic_run("linear", 3.0, 0.3, 0.1),
    synthetic_run("linear", 6.0, 0.7, 0.5),
)
OURS, THEIRS = RESULTS.points("constrained"), RESULTS.points("linear")
SAMPLE = bootstrap(RESULTS.runs, "all", draws=200)


def test_a_curve_is_read_between_its_points_and_not_beyond() -> None:
    middle = sum(run.evaluation["typed_fraction"] for run in RESULTS.runs[:2]) / 2
    assert read_curve(SAMPLE, OURS, middle, x="typed_fraction")[0] == pytest.approx(0.55)
    assert np.isnan(read_curve(SAMPLE, OURS, 0.05, x="typed_fraction")[0])
    assert np.isnan(read_curve(SAMPLE, [], 0.5, x="typed_fraction")).all()


def test_a_lead_is_given_in_points_and_relative() -> None:
    ahead = measure_lead(SAMPLE, OURS, THEIRS, at=0.5, retention="typed_fraction")
    interval = ahead.points_interval["both"]
    assert ahead.ours is not None
    assert ahead.theirs is not None
    assert ahead.points is not None
    assert interval is not None
    assert ahead.points == pytest.approx(ahead.ours - ahead.theirs)
    assert ahead.relative == pytest.approx((ahead.ours - ahead.theirs) / ahead.theirs)
    assert 0 < interval[0] < ahead.points < interval[1]
    typed = [run.evaluation["typed_fraction"] for run in RESULTS.runs]
    assert ahead.widths[1] == pytest.approx(typed[3] - typed[2])
    behind = measure_lead(SAMPLE, THEIRS, OURS, at=0.5, retention="typed_fraction")
    assert behind.points == pytest.approx(-ahead.points)


def test_beyond_a_curve_there_is_no_lead() -> None:
    beyond = measure_lead(SAMPLE, OURS, THEIRS, at=0.95, retention="typed_fraction")
    assert beyond.points is None
    assert beyond.points_interval["both"] is None
    assert beyond.shared_range is not None
    assert beyond.shared_range[1] < 0.95


def test_leads_are_read_by_both_measures_on_each_subset() -> None:
    short = bootstrap(RESULTS.runs, "matched", draws=100)
    rows = measure_leads([SAMPLE, short], OURS, THEIRS, 0.5338)
    assert [(row.subset, row.retention) for row in rows] == [
        ("all", "kept_with_eos"),
        ("all", "typed_fraction"),
        ("matched", "kept_with_eos"),
        ("matched", "typed_fraction"),
    ]
    assert rows[1].at == pytest.approx((0.5338 - 0.125) / 0.875)


def test_curves_are_compared_at_every_level_in_both_directions() -> None:
    ahead = compare_at_every_retention(SAMPLE, OURS, THEIRS)
    assert ahead.levels_ahead == ahead.levels == 21
    assert ahead.smallest_lead is not None
    assert ahead.smallest_lead > 0
    behind = compare_at_every_accuracy(SAMPLE, THEIRS, OURS)
    assert behind.levels_ahead == 0
    assert behind.smallest_lead is not None
    assert behind.smallest_lead < 0
    assert compare_at_every_accuracy(SAMPLE, OURS, []).shared_range is None
