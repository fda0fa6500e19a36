import json
import shutil
from pathlib import Path

import pytest

from lab.tests.reproduction.small_sweep import RUNS
from lab.tests.reproduction.synthetic import synthetic_results, synthetic_run
from tersely.errors import UsageError
from tersely.evaluation.outcomes import as_json, count_outcomes, read_predictions
from tersely.training.config import RunConfig, with_changes
from tersely_lab.reproduction.report import write_small_results
from tersely_lab.reproduction.runs import Gap, Record, are_variants, read_results


@pytest.fixture
def copied(sweep: Path, tmp_path: Path) -> Path:
    """A copy of the sweep, without the weights."""
    return shutil.copytree(
        sweep, tmp_path / "sweep", ignore=shutil.ignore_patterns("model", "checkpoints")
    )


def test_runs_become_points_by_kind_and_parameter(sweep: Path) -> None:
    results = read_results(sweep)
    assert [run.name for run in results.runs] == [row[0] for row in RUNS]
    assert results.gaps == ()
    assert [point.label for point in results.points()] == [
        "Constr(0.4)",
        "Constr(0.8)",
        "Linear(3)",
        "Linear(6)",
        "Unif(0.3)",
        "Unif(0.7)",
        "Stopword(0)",
    ]
    [several] = [point for point in results.points() if len(point.runs) > 1]
    assert [run.seed for run in several.runs] == [1, 2]


def test_a_run_with_other_settings_is_a_variant_and_on_no_curve(copied: Path) -> None:
    path = copied / "unif-0.7" / "run.json"
    record = json.loads(path.read_text())
    record["config"]["model"]["softmax"] = "adaptive"
    path.write_text(json.dumps(record))
    results = read_results(copied)
    assert [run.name for run in results.runs if run.is_variant] == ["unif-0.7"]
    assert [point.label for point in results.points("unif")] == ["Unif(0.3)"]


def test_settings_newer_than_a_run_make_no_variant_of_it(copied: Path) -> None:
    path = copied / "unif-0.7" / "run.json"
    record = json.loads(path.read_text())
    del record["config"]["distillation"]
    path.write_text(json.dumps(record))
    assert not any(run.is_variant for run in read_results(copied).runs)


def test_the_same_point_and_seed_twice_counts_once(copied: Path) -> None:
    shutil.copytree(copied / "unif-0.7", copied / "unif-0.7-copy")
    results = read_results(copied)
    assert [run.name for run in results.runs if run.is_variant] == ["unif-0.7-copy"]


def test_outcomes_are_read_where_predictions_are_missing(copied: Path) -> None:
    before = read_results(copied)
    for name, *_ in RUNS:
        path = copied / name / "predictions.jsonl"
        outcomes = as_json(count_outcomes(read_predictions(path)))
        (copied / name / "outcomes.json").write_text(json.dumps(outcomes))
        path.unlink()
    after = read_results(copied)
    for first, second in zip(before.runs, after.runs, strict=True):
        assert as_json(first.outcomes) == as_json(second.outcomes)


@pytest.mark.parametrize(
    ("file", "text", "reason"),
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
    copied: Path, file: str, text: str | None, reason: str
) -> None:
    path = copied / "unif-0.3" / file
    if text is None:
        path.unlink()
    else:
        path.write_text(text)
    results = read_results(copied)
    [gap] = results.gaps
    assert gap.name == "unif-0.3"
    assert reason in gap.reason
    assert str(copied) not in gap.reason
    assert len(results.runs) == len(RUNS) - 1


def test_malformed_outcomes_are_a_gap(copied: Path) -> None:
    path = copied / "unif-0.3" / "predictions.jsonl"
    found = as_json(count_outcomes(read_predictions(path)))
    found["words"]["all"]["names"] = None
    (copied / "unif-0.3" / "outcomes.json").write_text(json.dumps(found))
    path.unlink()
    [gap] = read_results(copied).gaps
    assert "outcomes.json: broken" in gap.reason


def test_a_line_cut_off_by_a_crash_is_left_out(copied: Path) -> None:
    path = copied / "unif-0.3" / "metrics.jsonl"
    whole = read_results(copied).runs
    path.write_text(path.read_text() + '{"step": 30, "ki')
    assert [run.log for run in read_results(copied).runs] == [run.log for run in whole]


def test_planned_runs_that_never_started_are_named(copied: Path) -> None:
    results = read_results(copied, ["unif-0.3", "linear-9"])
    assert [gap.name for gap in results.gaps] == ["linear-9"]
    assert {run.name for run in results.runs} == {row[0] for row in RUNS}


def test_runs_evaluated_on_other_sentences_are_a_gap(copied: Path) -> None:
    run = copied / "unif-0.3"
    lines = (run / "predictions.jsonl").read_text().splitlines()
    (run / "predictions.jsonl").write_text("\n".join(reversed(lines)) + "\n")
    [gap] = read_results(copied).gaps
    assert gap.name == "unif-0.3"
    assert "other sentences" in gap.reason


def test_an_objective_that_the_paper_lacks_is_a_gap(copied: Path) -> None:
    path = copied / "linear-3" / "run.json"
    path.write_text(path.read_text().replace('"linear"', '"distilled"'))
    [gap] = read_results(copied).gaps
    assert "distilled" in gap.reason


def test_a_folder_without_a_finished_run_is_refused(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(UsageError):
            read_results(folder)


def record(*changes: str, data: str = "reviews") -> Record:
    return {"config": with_changes(RunConfig(), changes).as_dict(), "data": data}


def variants(*records: Record, steps: tuple[int, ...] = ()) -> list[bool]:
    return are_variants(records, steps or (9000,) * len(records))


USUAL = [record(), record("training.seed=2"), record("objective.epsilon_nats_per_token=0.8")]


def test_runs_of_other_objectives_and_seeds_are_no_variants() -> None:
    rule = record("objective.kind=unif", "objective.delta=0.3")
    assert variants(*USUAL, rule) == [False] * 4
    assert variants() == []


@pytest.mark.parametrize(
    "change",
    [
        "model.softmax=adaptive",
        "model.embedding_units=200",
        "training.learning_rate=0.01",
        "training.max_steps=5",
        "training.flat_steps=9",
        "objective.weight_learning_rate=0.5",
        "estimator.samples=2",
    ],
)
def test_a_run_with_other_settings_is_a_variant(change: str) -> None:
    assert variants(*USUAL, record(change)) == [False, False, False, True]


def test_a_run_on_another_corpus_is_a_variant() -> None:
    assert variants(*USUAL, record(data="everyday"))[-1]


def test_settings_newer_than_a_run_count_at_their_defaults() -> None:
    old = record()
    del old["config"]["distillation"], old["config"]["training"]["flat_after_steps"]
    assert variants(*USUAL, old) == [False] * 4


def test_the_checkpoint_interval_makes_no_variant() -> None:
    assert not variants(*USUAL, record("training.checkpoint_every_steps=7"))[-1]


def test_the_step_from_which_a_run_may_be_flat_makes_no_variant_of_longer_runs() -> None:
    late = record("training.flat_after_steps=6000")
    assert variants(*USUAL, late, steps=(9000, 6000, 7000, 8000)) == [False] * 4
    assert variants(*USUAL, late, steps=(9000, 9000, 3000, 8000)) == [False, False, True, False]


def test_a_config_of_another_version_is_compared_unchanged() -> None:
    other = record()
    other["config"]["training"]["momentum"] = 0.9
    before = str(other)
    assert variants(*USUAL, other) == [False, False, False, True]
    assert str(other) == before


def test_small_results_read_like_the_sweep(tmp_path: Path) -> None:
    runs = [synthetic_run("constrained", 0.4, 0.5, 0.5), synthetic_run("unif", 0.5, 0.5, 0.1)]
    results = synthetic_results(*runs, gaps=[Gap("linear-3", "not finished (no result.json)")])
    write_small_results(results, tmp_path / "small", matrix=None, examples=None)
    again = read_results(tmp_path / "small")
    assert [run.name for run in again.runs] == [run.name for run in runs]
    assert again.gaps == results.gaps
    for before, after in zip(runs, again.runs, strict=True):
        assert after.evaluation == before.evaluation
        assert after.log == before.log
        assert after.outcomes.typed.tolist() == before.outcomes.typed.tolist()
    assert json.loads((tmp_path / "small" / "plan.json").read_text()) == [
        *(run.name for run in runs),
        "linear-3",
    ]


def test_small_results_replace_those_of_earlier_runs(tmp_path: Path) -> None:
    first, second = (
        synthetic_run("constrained", 0.4, 0.5, 0.5),
        synthetic_run("unif", 0.5, 0.5, 0.1),
    )
    write_small_results(
        synthetic_results(first, second), tmp_path / "small", matrix=None, examples=None
    )
    write_small_results(synthetic_results(first), tmp_path / "small", matrix=None, examples=None)
    assert not (tmp_path / "small" / second.name).exists()
