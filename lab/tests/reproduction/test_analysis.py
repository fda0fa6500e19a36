from lab.tests.reproduction.made import made_results, made_run
from tersely_lab.reproduction.analysis import analyse, studied_run


def test_the_studied_run_keeps_about_as_much_as_the_papers() -> None:
    runs = [
        made_run("constrained", epsilon, kept, 0.5) for epsilon, kept in ((0.2, 0.8), (0.6, 0.3))
    ]
    found = studied_run(made_results(*runs, made_run("unif", 0.3, 0.25, 0.1)))
    assert found is runs[1]
    assert studied_run(made_results(made_run("unif", 0.3, 0.25, 0.1))) is None


def test_a_single_run_is_enough_for_an_analysis() -> None:
    for kind, parameter in (
        ("constrained", 0.4),
        ("linear", 4.3),
        ("unif", 0.5),
        ("stopword", 0.0),
    ):
        found = analyse(made_results(made_run(kind, parameter, 0.5, 0.5)), draws=100)
        assert [sample.subset for sample in found.samples] == ["all", "matched"]
        assert all(one.points is None for one in (*found.over_linear, *found.over_unif))
        assert found.pairs == ()
        assert len(found.controls) == (kind == "constrained")
