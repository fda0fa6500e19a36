import numpy as np
import pytest

from lab.tests.reproduction.made import made_results, made_run
from tersely_lab.reproduction.resampling import resample
from tersely_lab.reproduction.tradeoff import (
    ahead_at_every_accuracy,
    ahead_at_every_retention,
    lead,
    leads,
    read_curve,
)

RESULTS = made_results(
    made_run("constrained", 0.8, 0.2, 0.2),
    made_run("constrained", 0.2, 0.8, 0.9),
    made_run("linear", 3.0, 0.3, 0.1),
    made_run("linear", 6.0, 0.7, 0.5),
)
OURS, THEIRS = RESULTS.settings("constrained"), RESULTS.settings("linear")
SAMPLE = resample(RESULTS.runs, "all", draws=200)


def test_a_curve_is_read_between_its_points_and_not_beyond() -> None:
    xs = [run.figures["typed_fraction"] for run in RESULTS.runs[:2]]
    middle = sum(xs) / 2
    assert read_curve(SAMPLE, OURS, middle, x="typed_fraction")[0] == pytest.approx(0.55)
    assert np.isnan(read_curve(SAMPLE, OURS, 0.05, x="typed_fraction")[0])
    assert np.isnan(read_curve(SAMPLE, [], 0.5, x="typed_fraction")).all()


def test_a_lead_is_told_in_points_and_relative() -> None:
    found = lead(SAMPLE, OURS, THEIRS, at=0.5, retention="typed_fraction")
    assert found.points == pytest.approx(found.ours - found.theirs)
    assert found.relative == pytest.approx((found.ours - found.theirs) / found.theirs)
    low, high = found.points_interval["both"]
    assert 0 < low < found.points < high
    gap = RESULTS.runs[3].figures["typed_fraction"] - RESULTS.runs[2].figures["typed_fraction"]
    assert found.across[1] == pytest.approx(gap)
    other = lead(SAMPLE, THEIRS, OURS, at=0.5, retention="typed_fraction")
    assert other.points == pytest.approx(-found.points)


def test_beyond_a_curve_nothing_is_told() -> None:
    found = lead(SAMPLE, OURS, THEIRS, at=0.95, retention="typed_fraction")
    assert found.points is None
    assert found.points_interval["both"] is None
    assert found.reach is not None
    assert found.reach[1] < 0.95


def test_leads_are_read_by_both_measures_on_each_subset() -> None:
    short = resample(RESULTS.runs, "matched", draws=100)
    found = leads([SAMPLE, short], OURS, THEIRS, 0.5338)
    assert [(one.subset, one.retention) for one in found] == [
        ("all", "kept_with_eos"),
        ("all", "typed_fraction"),
        ("matched", "kept_with_eos"),
        ("matched", "typed_fraction"),
    ]
    assert found[1].at == pytest.approx((0.5338 - 0.125) / 0.875)


def test_being_ahead_everywhere_can_be_told_both_ways() -> None:
    ahead = ahead_at_every_retention(SAMPLE, OURS, THEIRS)
    assert ahead.ahead == ahead.levels
    assert ahead.worst > 0
    behind = ahead_at_every_accuracy(SAMPLE, THEIRS, OURS)
    assert behind.ahead == 0
    assert behind.worst < 0
    assert ahead_at_every_accuracy(SAMPLE, OURS, []).range is None
