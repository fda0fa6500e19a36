from lab.tests.reproduction.axes import lines_of
from lab.tests.reproduction.synthetic import synthetic_run, synthetic_sweep
from tersely_lab.reproduction.tradeoff import compare, lead_table, plot, point_table

RUN = synthetic_run("constrained", 0.4, 0.5, 0.5)
SWEEP = synthetic_sweep(RUN, synthetic_run("unif", 0.5, 0.5, 0.1), draws=100)
FIGURE = compare(SWEEP, "Figure 2", ("constrained", "linear"), at=0.5338, claimed=0.1173)


def test_a_curve_shows_the_points_in_per_cent() -> None:
    whole, _ = lines_of(plot(FIGURE))
    kept = 100 * RUN.evaluation["kept_with_eos"]
    assert (kept, 50.0) in [(x[0], y[0]) for x, y in whole]
    assert any(13.13 in y for _, y in whole)  # the paper's own Constr(0.4)


def test_tables_are_named_after_figure_and_objective() -> None:
    assert lead_table(FIGURE).name == "lead-over-linear"
    assert point_table(FIGURE).name == "points-figure-2"
    assert [row[1] for row in point_table(FIGURE).rows] == ["Constr(0.4)"] * 2
