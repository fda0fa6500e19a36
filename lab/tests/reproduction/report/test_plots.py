from pathlib import Path

from lab.tests.reproduction.made import made_results, made_run
from tersely_lab.reproduction.analysis import analyse
from tersely_lab.reproduction.report import plots
from tersely_lab.reproduction.report.document import Figure

RUN = made_run("constrained", 0.4, 0.5, 0.5)
FOUND = analyse(made_results(RUN, made_run("unif", 0.5, 0.5, 0.1)), draws=100)


def lines_of(draw) -> list[list[tuple[list[float], list[float]]]]:
    """What stands on each pair of axes."""
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas()
    draw(canvas)
    return [
        [(list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines]
        for axes in canvas.axes
    ]


def test_the_same_figure_is_the_same_bytes(tmp_path: Path) -> None:
    figure = Figure("f", "c", plots.parts_of_speech(FOUND, RUN), (4.0, 3.0))
    for folder in ("a", "b"):
        plots.save(figure, tmp_path / folder)
    for kind in ("png", "svg"):
        first, second = ((tmp_path / folder / f"f.{kind}").read_bytes() for folder in ("a", "b"))
        assert first == second


def test_a_curve_shows_the_points_in_per_cent() -> None:
    whole, _ = lines_of(plots.tradeoff(FOUND, ("constrained", "linear"), 0.5338))
    kept = 100 * RUN.figures["kept_with_eos"]
    assert ([kept], [50.0]) in [([x[0]], [y[0]]) for x, y in whole]
    assert any(13.13 in ys for _, ys in whole)  # the paper's own Constr(0.4)


def test_the_course_is_drawn_from_the_judgements() -> None:
    kept, _, weight = lines_of(plots.courses([RUN]))
    assert kept == [([100, 200, 300, 400, 500, 600], [0.95, 0.9, 0.8, 0.7, 0.6, 0.5])]
    assert weight[0][1] == [4.0] * 6


def test_every_word_often_seen_is_a_dot() -> None:
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas()
    plots.frequencies(RUN)(canvas)
    words = RUN.outcomes.words["all"].types.words_only()
    assert len(canvas.axes[0].collections[0].get_offsets()) == (words.count >= 5).sum()


def test_retention_is_drawn_over_both_parameters() -> None:
    linear, constrained = lines_of(plots.retention_by_parameter(FOUND))
    assert linear == [([], [])]
    assert constrained[0][0] == [0.4]
