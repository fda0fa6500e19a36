import json
import shutil
from pathlib import Path

import pytest

from lab.tests.reproduction.sweeps import RUNS
from tersely.errors import UsageError
from tersely.evaluation.outcomes import as_json, count_outcomes, read_predictions
from tersely.training.config import completed
from tersely_lab.reproduction.runs import read_results


@pytest.fixture
def own(sweep: Path, tmp_path: Path) -> Path:
    """A sweep of its own, without the weights."""
    return shutil.copytree(
        sweep, tmp_path / "sweep", ignore=shutil.ignore_patterns("model", "checkpoints")
    )


def test_runs_become_points_by_kind_and_parameter(sweep: Path) -> None:
    results = read_results(sweep)
    assert [run.name for run in results.runs] == [row[0] for row in RUNS]
    assert results.gaps == ()
    assert [one.label for one in results.settings()] == [
        "Constr(0.4)",
        "Constr(0.8)",
        "Linear(3)",
        "Linear(6)",
        "Unif(0.3)",
        "Unif(0.7)",
        "Stopword(0)",
    ]
    [several] = [one for one in results.settings() if len(one.runs) > 1]
    assert [run.seed for run in several.runs] == [1, 2]


def test_a_run_with_other_settings_is_a_variant_and_on_no_curve(own: Path) -> None:
    path = own / "unif-0.7" / "run.json"
    record = json.loads(path.read_text())
    record["config"]["model"]["softmax"] = "adaptive"
    path.write_text(json.dumps(record))
    results = read_results(own)
    assert [run.name for run in results.runs if run.is_variant] == ["unif-0.7"]
    assert [one.label for one in results.settings("unif")] == ["Unif(0.3)"]


def test_settings_newer_than_a_run_make_no_variant_of_it(own: Path) -> None:
    path = own / "unif-0.7" / "run.json"
    record = json.loads(path.read_text())
    del record["config"]["distillation"]
    path.write_text(json.dumps(record))
    assert [run.name for run in read_results(own).runs if run.is_variant] == ["unif-0.7"]
    results = read_results(own, complete=completed)
    assert not any(run.is_variant for run in results.runs)


def test_the_same_point_and_seed_twice_counts_once(own: Path) -> None:
    shutil.copytree(own / "unif-0.7", own / "unif-0.7-copy")
    results = read_results(own)
    assert [run.name for run in results.runs if run.is_variant] == ["unif-0.7-copy"]


def test_outcomes_do_as_well_as_predictions(own: Path) -> None:
    before = read_results(own)
    for name, *_ in RUNS:
        path = own / name / "predictions.jsonl"
        found = as_json(count_outcomes(read_predictions(path)))
        (own / name / "outcomes.json").write_text(json.dumps(found))
        path.unlink()
    after = read_results(own)
    for one, two in zip(before.runs, after.runs, strict=True):
        assert as_json(one.outcomes) == as_json(two.outcomes)


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("run.json", "{}", "broken results"),
        ("run.json", "7", "broken results"),
        ("result.json", None, "not finished"),
        ("result.json", "{}", "broken results"),
        ("evaluation.json", None, "not evaluated"),
        ("evaluation.json", "\x00", "cannot be read"),
        ("evaluation.json", "{}", "broken results"),
        ("predictions.jsonl", None, "neither"),
        ("predictions.jsonl", "", "empty"),
        ("metrics.jsonl", None, "not there"),
        ("metrics.jsonl", '{"step": 1}\n', "broken results"),
    ],
)
def test_a_run_that_cannot_be_used_is_a_gap_with_its_reason(
    own: Path, file: str, text: str | None, said: str
) -> None:
    path = own / "unif-0.3" / file
    if text is None:
        path.unlink()
    else:
        path.write_text(text)
    results = read_results(own)
    [gap] = results.gaps
    assert gap.name == "unif-0.3"
    assert said in gap.reason
    assert str(own) not in gap.reason
    assert len(results.runs) == len(RUNS) - 1


def test_outcomes_of_another_form_are_a_gap(own: Path) -> None:
    path = own / "unif-0.3" / "predictions.jsonl"
    found = as_json(count_outcomes(read_predictions(path)))
    found["words"]["all"]["names"] = None
    (own / "unif-0.3" / "outcomes.json").write_text(json.dumps(found))
    path.unlink()
    [gap] = read_results(own).gaps
    assert "outcomes.json: broken" in gap.reason


def test_a_line_cut_off_by_a_crash_is_left_out(own: Path) -> None:
    path = own / "unif-0.3" / "metrics.jsonl"
    whole = read_results(own).runs
    path.write_text(path.read_text() + '{"step": 30, "ki')
    assert [run.course for run in read_results(own).runs] == [run.course for run in whole]


def test_planned_runs_that_never_started_are_named(own: Path) -> None:
    results = read_results(own, ["unif-0.3", "linear-9"])
    assert [gap.name for gap in results.gaps] == ["linear-9"]
    assert {run.name for run in results.runs} == {row[0] for row in RUNS}


def test_figures_on_other_sentences_are_not_compared(own: Path) -> None:
    run = own / "unif-0.3"
    lines = (run / "predictions.jsonl").read_text().splitlines()
    (run / "predictions.jsonl").write_text("\n".join(reversed(lines)) + "\n")
    [gap] = read_results(own).gaps
    assert gap.name == "unif-0.3"
    assert "other sentences" in gap.reason


def test_other_objectives_are_none_of_the_papers(own: Path) -> None:
    path = own / "linear-3" / "run.json"
    path.write_text(path.read_text().replace('"linear"', '"distilled"'))
    [gap] = read_results(own).gaps
    assert "distilled" in gap.reason


def test_a_folder_without_a_finished_run_is_refused(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(UsageError):
            read_results(folder)
