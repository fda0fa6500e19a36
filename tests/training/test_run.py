import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tersely.errors import TerselyError, UsageError
from tersely.training.checkpoint import list_checkpoints
from tersely.training.run import RunRequest, train
from tests.training.small import small_config, small_corpus

SHORT = small_config(training={"max_steps": 6, "checkpoint_every_steps": 3})


def request(data: Path, out: Path, **changes: Any) -> RunRequest:
    base = RunRequest(SHORT, data, out, threads=1, command=("tersely", "train", "--out", "a b"))
    return replace(base, **changes)


def silent(step: int, row: dict[str, float]) -> None:
    pass


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def original(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("original") / "run"
    assert train(request(corpus, run), silent) == "step limit"
    return run


@pytest.fixture
def finished(original: Path, tmp_path: Path) -> Path:
    return shutil.copytree(original, tmp_path / "run")


def test_a_run_records_its_command_and_config(finished: Path, corpus: Path) -> None:
    record = json.loads((finished / "run.json").read_text())
    assert record["command"] == "tersely train --out 'a b'"
    assert record["config"]["training"]["max_steps"] == 6
    assert record["init"] is None
    names = {path.name for path in finished.iterdir()}
    assert names == {
        "run.json", "checkpoints", "metrics.jsonl", "course.png", "model", "result.json",
    }  # fmt: skip


def test_a_finished_run_is_not_changed_by_the_same_request(finished: Path, corpus: Path) -> None:
    before = contents(finished)
    assert train(request(corpus, finished), silent) == "step limit"
    assert contents(finished) == before


def test_a_stopped_run_resumes(corpus: Path, tmp_path: Path) -> None:
    base = request(corpus, tmp_path / "run")
    assert train(replace(base, minutes=1e-9), silent) == "stopped"
    assert not (tmp_path / "run" / "result.json").exists()
    assert list_checkpoints(tmp_path / "run")[-1].name == "step-00000001"
    assert train(base, silent) == "step limit"
    assert json.loads((tmp_path / "run" / "result.json").read_text())["steps"] == 6


def test_threads_and_minutes_may_differ_between_requests(finished: Path, corpus: Path) -> None:
    assert train(request(corpus, finished, minutes=9, command=("x",)), silent) == "step limit"


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"training": {"seed": 2, "max_steps": 9}}, "config.training.max_steps was 6, now 9"),
        ({"model": {"embedding_units": 8}}, "config.model.embedding_units was 12, now 8"),
        ({"objective": {"kind": "unif"}}, "config.objective.kind was 'constrained', now 'unif'"),
    ],
)
def test_another_config_is_an_error_that_names_the_first_difference(
    changes: dict[str, Any], complaint: str, finished: Path, corpus: Path
) -> None:
    training = {"max_steps": 6, "checkpoint_every_steps": 3, **changes.get("training", {})}
    other = small_config(**{**changes, "training": training})
    before = contents(finished)
    with pytest.raises(UsageError) as caught:
        train(request(corpus, finished, config=other), silent)
    assert complaint in str(caught.value)
    assert "Give another --out" in str(caught.value)
    assert contents(finished) == before


def test_other_data_or_another_start_are_refused(
    finished: Path, corpus: Path, tmp_path: Path
) -> None:
    other = small_corpus(tmp_path / "other", sentences=300)
    with pytest.raises(UsageError, match=r"data\.lexicon_size was"):
        train(request(other, finished), silent)
    with pytest.raises(UsageError, match="init was None, now"):
        train(request(corpus, finished, init=finished), silent)


def test_a_folder_that_is_not_a_run_is_refused(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "thesis.tex").write_text("years of work")
    (tmp_path / "file").write_text("a letter")
    before = contents(tmp_path)
    for name in ("thesis", "file"):
        with pytest.raises(UsageError, match="exists and is not a run"):
            train(request(corpus, tmp_path / name), silent)
    assert contents(tmp_path) == before


def test_an_empty_folder_may_become_a_run(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / ".run.json.123").write_text(
        "half of it"
    )  # left by a process that was killed
    assert train(request(corpus, tmp_path / "run"), silent) == "step limit"


def test_a_run_that_cannot_start_leaves_no_folder(corpus: Path, tmp_path: Path) -> None:
    """The config can be corrected and the same --out given again."""
    too_many = small_config(training={"batch_sentences": 100_000})
    base = request(corpus, tmp_path / "run")
    with pytest.raises(UsageError, match="fewer than one batch"):
        train(replace(base, config=too_many), silent)
    assert os.listdir(tmp_path) == []
    assert train(base, silent) == "step limit"


def test_a_started_run_is_never_removed(finished: Path, corpus: Path) -> None:
    (finished / "result.json").unlink()
    (list_checkpoints(finished)[-1] / "state.json").write_text("")
    before = contents(finished)
    with pytest.raises(TerselyError, match="Remove this folder"):
        train(request(corpus, finished), silent)
    assert contents(finished) == before


@pytest.mark.parametrize("name", ["run.json", "result.json"])
@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[1]", b'{"config": '])
def test_a_damaged_json_file_is_an_error_that_names_it(
    name: str, content: bytes, finished: Path, corpus: Path
) -> None:
    (finished / name).write_bytes(content)
    with pytest.raises(TerselyError, match=name):
        train(request(corpus, finished), silent)


def test_no_run_starts_without_a_prepared_corpus(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a prepared corpus"):
        train(request(tmp_path / "nowhere", tmp_path / "run"), silent)
    assert os.listdir(tmp_path) == []


def test_metrics_are_reported_during_training(corpus: Path, tmp_path: Path) -> None:
    reported: list[int] = []
    config = small_config(training={"max_steps": 60, "checkpoint_every_steps": 60})
    base = request(corpus, tmp_path / "run", config=config, tensorboard=True)
    train(base, lambda step, row: reported.append(step) if "loss_nats_a_token" in row else None)
    assert reported == [25, 50]
    assert any((tmp_path / "run" / "tensorboard").iterdir())
