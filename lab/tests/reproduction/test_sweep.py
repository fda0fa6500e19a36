from lab.tests.reproduction.synthetic import synthetic_run, synthetic_sweep


def test_the_studied_run_keeps_about_as_much_as_the_papers() -> None:
    runs = [
        synthetic_run("constrained", epsilon, kept, 0.5)
        for epsilon, kept in ((0.2, 0.8), (0.6, 0.3))
    ]
    unif = synthetic_run("unif", 0.3, 0.25, 0.1)
    assert synthetic_sweep(*runs, unif, draws=10).studied_run() is runs[1]
    assert synthetic_sweep(unif, draws=10).studied_run() is None


def test_a_sweep_is_resampled_on_both_subsets() -> None:
    sweep = synthetic_sweep(synthetic_run("linear", 4.3, 0.5, 0.5), draws=10)
    assert [sample.subset for sample in sweep.bootstraps] == ["all", "matched"]
    assert {sample.draws for sample in sweep.bootstraps} == {10}
