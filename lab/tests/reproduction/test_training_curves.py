import pytest

from lab.tests.reproduction.axes import lines_of
from lab.tests.reproduction.synthetic import synthetic_run
from tersely_lab.reproduction.training_curves import measure_descent, plot, read_loss_bound, series


@pytest.mark.parametrize(
    ("kept", "is_as_described"),
    [
        ((0.95, 0.9, 0.85, 0.75, 0.65, 0.6), True),
        ((0.95, 0.95, 0.95, 0.95, 0.3, 0.3), False),  # all at once
        ((0.5, 0.5, 0.5, 0.45, 0.4, 0.3), False),  # never kept most
        ((0.95, 0.95, 0.95, 0.95, 0.95, 0.94), False),  # never fell
    ],
)
def test_a_slow_descent_is_distinguished_from_others(
    kept: tuple[float, ...], is_as_described: bool
) -> None:
    way = measure_descent(synthetic_run("constrained", 0.4, 0.5, 0.5, kept_on_dev=kept))
    assert way is not None
    assert way.is_as_described is is_as_described
    assert (way.early_peak, way.end) == (kept[0], kept[-1])


def test_two_evaluations_are_too_few_for_a_descent() -> None:
    assert (
        measure_descent(synthetic_run("constrained", 0.4, 0.5, 0.5, kept_on_dev=(0.9, 0.5))) is None
    )


def test_a_series_takes_one_kind_of_log_line() -> None:
    run = synthetic_run("linear", 3.0, 0.5, 0.5, kept_on_dev=(0.9, 0.5, 0.4))
    assert series(run, "kept_fraction", "dev") == [(100, 0.9), (200, 0.5), (300, 0.4)]
    assert series(run, "nothing", "dev") == []


def test_epsilon_is_met_when_the_loss_is_at_most_as_high() -> None:
    assert read_loss_bound(synthetic_run("constrained", 0.4, 0.5, 0.5, loss=0.39)).is_met
    assert not read_loss_bound(synthetic_run("constrained", 0.4, 0.5, 0.5, loss=0.41)).is_met


def test_curves_are_drawn_from_the_evaluations_on_dev() -> None:
    kept, _, weight = lines_of(plot([synthetic_run("constrained", 0.4, 0.5, 0.5)]))
    assert kept == [([100, 200, 300, 400, 500, 600], [0.95, 0.9, 0.8, 0.7, 0.6, 0.5])]
    assert weight[0][1] == [4.0] * 6
