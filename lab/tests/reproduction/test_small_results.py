import json
from pathlib import Path

from lab.tests.reproduction.made import made_results, made_run
from tersely_lab.reproduction.runs import Gap, read_results
from tersely_lab.reproduction.small_results import keep


def test_what_is_kept_reads_as_the_sweep_did(tmp_path: Path) -> None:
    runs = [made_run("constrained", 0.4, 0.5, 0.5), made_run("unif", 0.5, 0.5, 0.1)]
    results = made_results(*runs, gaps=[Gap("linear-3", "not finished (no result.json)")])
    keep(results, tmp_path / "kept", matrix=None, examples=None)
    again = read_results(tmp_path / "kept")
    assert [run.name for run in again.runs] == [run.name for run in runs]
    assert again.gaps == results.gaps
    for before, after in zip(runs, again.runs, strict=True):
        assert after.figures == before.figures
        assert after.course == before.course
        assert after.outcomes.typed.tolist() == before.outcomes.typed.tolist()
    assert json.loads((tmp_path / "kept" / "plan.json").read_text()) == [
        *(run.name for run in runs),
        "linear-3",
    ]


def test_runs_that_are_no_longer_there_are_not_kept_on(tmp_path: Path) -> None:
    first, second = made_run("constrained", 0.4, 0.5, 0.5), made_run("unif", 0.5, 0.5, 0.1)
    keep(made_results(first, second), tmp_path / "kept", matrix=None, examples=None)
    keep(made_results(first), tmp_path / "kept", matrix=None, examples=None)
    assert not (tmp_path / "kept" / second.name).exists()
