"""A run that an earlier version left after 10 of 20 steps (old_run/) still resumes and loads.

expected.json holds the dev metrics that the earlier version logged in the second half of the run.
"""

import json
import shutil
from pathlib import Path

import pytest

from tersely.completion.completer import Completer
from tersely.training.checkpoint import Checkpoint
from tersely.training.config import parse_config
from tersely.training.metrics import read_metrics
from tersely.training.run import RunRequest, train

OLD = Path(__file__).parent / "old_run"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return shutil.copytree(OLD / "run", tmp_path / "run")


def resume(run: Path) -> str:
    record = json.loads((run / "run.json").read_text(encoding="utf-8"))
    config = parse_config(record["config"], where="run.json")
    return train(RunRequest(config, OLD / "data", run, threads=1), lambda step, row: None)


def test_an_old_run_resumes_with_the_same_metrics(run: Path) -> None:
    before = read_metrics(run / "metrics.jsonl")
    assert before[-1]["step"] == 10
    assert resume(run) == "step limit"
    rows = read_metrics(run / "metrics.jsonl")
    assert rows[: len(before)] == before
    expected = json.loads((OLD / "expected.json").read_text(encoding="utf-8"))
    resumed = rows[len(before) :]
    assert [row["step"] for row in resumed] == [15, 20]
    for row, old in zip(resumed, expected, strict=True):
        assert row.keys() == old.keys()
        figures = {key: value for key, value in old.items() if key not in ("kind", "seconds")}
        assert {key: row[key] for key in figures} == pytest.approx(figures, rel=1e-3)


def test_the_checkpoint_of_a_resumed_run_has_the_old_layout(run: Path) -> None:
    old = Checkpoint.load_newest(run)
    resume(run)
    new = Checkpoint.load_newest(run)
    assert old is not None
    assert new is not None
    assert (old.step, new.step) == (10, 20)
    assert new.weights.keys() == old.weights.keys()
    assert new.moments.keys() == old.moments.keys()
    assert new.state.keys() == old.state.keys()
    assert new.state["objective"].keys() == old.state["objective"].keys()


def test_the_model_of_an_old_run_loads(run: Path) -> None:
    completer = Completer.load(run)
    (best, *_) = completer.complete("the friendly")
    assert {"the", "friendly"} <= set(best.tokens)
    assert completer.keywords("the waiter .").tokens == ["the", "waiter", "."]
