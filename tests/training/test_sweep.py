import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tersely.errors import UsageError
from tersely.training import sweep as module
from tersely.training.sweep import PlannedRun, Sweep, SweepSettings, load_plan, summary_rows
from tests.training.small import CONFIGS

BASE = """
[model]
embedding_units = 8
encoder_units = 8
reader_units = 8
decoder_units = 8
[training]
batch_sentences = 16
max_steps = 10
evaluate_every_steps = 5
evaluate_sentences = 20
checkpoint_every_steps = 5
"""
PLAN = """
base = "base.toml"
[common]
"model.softmax" = "full"
[[runs]]
name = "unif-0.5"
set = { "objective.kind" = "unif", "objective.delta" = 0.5 }
[[runs]]
name = "constrained"
seeds = [1, 2]
set = { "objective.epsilon_nats_per_token" = 0.4 }
"""


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(module, "POLL_SECONDS", 0.05)
    (tmp_path / "base.toml").write_text(BASE)
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path / "plan.toml"


def settings(corpus: Path, out: Path, **changes: Any) -> SweepSettings:
    return SweepSettings(data=corpus, out=out, threads=1, evaluate_sentences=5, **changes)


def test_a_plan_is_expanded_in_order(plan: Path) -> None:
    runs = load_plan(plan).runs
    assert [run.name for run in runs] == ["unif-0.5", "constrained-seed1", "constrained-seed2"]
    assert runs[2] == PlannedRun(
        "constrained-seed2",
        ('model.softmax="full"', "objective.epsilon_nats_per_token=0.4", "training.seed=2"),
        max_steps=10,
    )


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda path: path.name)
def test_every_shipped_plan_is_valid(path: Path) -> None:
    if "[[runs]]" in path.read_text():
        assert load_plan(path).runs


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "a sweep has base"),
        ('base = "base.toml"\nruns = []', "a sweep has base"),
        ('base = "base.toml"\nsets = 1\n[[runs]]\nname = "a"', "not sets"),
        ('base = "no.toml"\n[[runs]]\nname = "a"', "cannot be read"),
        ('base = "base.toml"\n[[runs]]\nseed = 1', "a run has name"),
        ('base = "base.toml"\n[[runs]]\nname = "../a"', "must be a name"),
        ('base = "base.toml"\n[[runs]]\nname = "a"\n[[runs]]\nname = "a"', "only once"),
        ('base = "base.toml"\n[[runs]]\nname = "a"\nset = {"training.sead" = 1}', "training"),
    ],
)
def test_an_invalid_plan_is_refused_before_anything_starts(
    plan: Path, text: str, complaint: str
) -> None:
    plan.write_text(text)
    with pytest.raises(UsageError, match=complaint):
        load_plan(plan)


def test_a_sweep_trains_and_evaluates_everything_once(
    plan: Path, corpus: Path, tmp_path: Path
) -> None:
    sweep = Sweep(
        load_plan(plan), settings(corpus, tmp_path / "s", parallel=2, results=tmp_path / "small")
    )
    shown: list[str] = []
    sweep.run(lambda sweep: shown.append(" ".join(map(sweep.status, sweep.plan.runs))))
    assert shown[-1] == "done done done"
    assert any("training" in line for line in shown)
    for run in sweep.plan.runs:
        folder = tmp_path / "s" / run.name
        figures = json.loads((folder / "evaluation.json").read_text())
        assert figures["sentences"] == 5
        assert len((folder / "predictions.jsonl").read_text().splitlines()) == 5
        assert "tersely train" in json.loads((folder / "run.json").read_text())["command"]
        outcomes = json.loads((folder / "outcomes.json").read_text())
        assert outcomes["sentences"] == 5
        copied = {path.name for path in (tmp_path / "small" / run.name).iterdir()}
        assert copied == set(module.RESULT_FILES)
    for place in ("s", "small"):
        names = json.loads((tmp_path / place / "plan.json").read_text())
        assert names == [run.name for run in sweep.plan.runs]
    rows = summary_rows(sweep)
    assert [row["step"] for row in rows] == [10, 10, 10]
    assert not any("seconds_left" in row for row in rows)
    before = (tmp_path / "s" / "unif-0.5" / "result.json").stat().st_mtime_ns
    Sweep(load_plan(plan), settings(corpus, tmp_path / "s")).run(lambda _: None)
    assert (tmp_path / "s" / "unif-0.5" / "result.json").stat().st_mtime_ns == before


def test_time_left_follows_from_the_pace_so_far(plan: Path, corpus: Path, tmp_path: Path) -> None:
    sweep = Sweep(load_plan(plan), settings(corpus, tmp_path / "s"))
    run = tmp_path / "s" / "unif-0.5"
    run.mkdir(parents=True)
    row = {"step": 4, "kind": "train", "seconds": 8.0}
    (run / "metrics.jsonl").write_text(json.dumps(row) + "\n")
    assert [row["seconds_left"] for row in summary_rows(sweep)] == [12.0, 20.0, 20.0]


def test_a_failing_run_does_not_stop_the_others(plan: Path, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "s" / "unif-0.5").mkdir(parents=True)
    (tmp_path / "s" / "unif-0.5" / "thesis.tex").write_text("in the way")
    sweep = Sweep(load_plan(plan), settings(corpus, tmp_path / "s"))
    sweep.run(lambda _: None)
    assert [sweep.status(run) for run in sweep.plan.runs] == ["failed", "done", "done"]
    assert "is not a run" in (tmp_path / "s" / "unif-0.5.log").read_text()


def test_an_interrupted_sweep_stops_and_saves_its_runs(
    plan: Path, corpus: Path, tmp_path: Path
) -> None:
    (tmp_path / "base.toml").write_text(BASE.replace("max_steps = 10", "max_steps = 100000"))
    command = [
        *(sys.executable, "-m", "tersely", "sweep", str(plan)),
        *("--data", str(corpus), "--out", str(tmp_path / "s"), "--threads", "1"),
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    checkpoints = tmp_path / "s" / "unif-0.5" / "checkpoints"
    while not (checkpoints.is_dir() and any(checkpoints.iterdir())):
        assert process.poll() is None
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGTERM)
    assert process.wait(timeout=240) == 1
    assert not (tmp_path / "s" / "unif-0.5" / "result.json").exists()
    log = (tmp_path / "s" / "unif-0.5.log").read_text()
    assert "stopped and saved" in log
