import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tersely.errors import TerselyError, UsageError
from tersely.training.checkpoint import list_checkpoints
from tersely.training.run import RunRequest, train
from tests.training.small import small_config, small_corpus

SHORT = small_config(training={"max_steps": 6, "checkpoint_every_steps": 3})


def request(data: Path, out: Path, **changes: object) -> RunRequest:
    asked = RunRequest(SHORT, data, out, threads=1, command=("tersely", "train", "--out", "a b"))
    return replace(asked, **changes)


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


def test_a_run_says_what_was_asked(finished: Path, corpus: Path) -> None:
    asked = json.loads((finished / "run.json").read_text())
    assert asked["command"] == "tersely train --out 'a b'"
    assert asked["config"]["training"]["max_steps"] == 6
    assert asked["init"] is None
    names = {path.name for path in finished.iterdir()}
    assert names == {
        "run.json", "checkpoints", "metrics.jsonl", "course.png", "model", "result.json",
    }  # fmt: skip


def test_a_finished_run_asked_for_again_is_left_alone(finished: Path, corpus: Path) -> None:
    before = contents(finished)
    assert train(request(corpus, finished), silent) == "step limit"
    assert contents(finished) == before


def test_a_stopped_run_goes_on(corpus: Path, tmp_path: Path) -> None:
    asked = request(corpus, tmp_path / "run")
    assert train(replace(asked, minutes=1e-9), silent) == "stopped"
    assert not (tmp_path / "run" / "result.json").exists()
    assert list_checkpoints(tmp_path / "run")[-1].name == "step-00000001"
    assert train(asked, silent) == "step limit"
    assert json.loads((tmp_path / "run" / "result.json").read_text())["steps"] == 6


def test_other_threads_and_minutes_are_the_same_run(finished: Path, corpus: Path) -> None:
    assert train(request(corpus, finished, minutes=9, command=("x",)), silent) == "step limit"


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"training": {"seed": 2, "max_steps": 9}}, "config.training.max_steps was 6, now 9"),
        ({"model": {"embedding_units": 8}}, "config.model.embedding_units was 12, now 8"),
        ({"objective": {"kind": "unif"}}, "config.objective.kind was 'constrained', now 'unif'"),
    ],
)
def test_another_config_is_refused_and_the_first_difference_named(
    changes: dict, complaint: str, finished: Path, corpus: Path
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


def test_a_folder_that_is_no_run_is_refused(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "thesis.tex").write_text("years of work")
    (tmp_path / "file").write_text("a letter")
    before = contents(tmp_path)
    for name in ("thesis", "file"):
        with pytest.raises(UsageError, match="exists and is no run"):
            train(request(corpus, tmp_path / name), silent)
    assert contents(tmp_path) == before


def test_an_empty_folder_may_become_a_run(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / ".run.json.123").write_text("half of it")  # killed at its first breath
    assert train(request(corpus, tmp_path / "run"), silent) == "step limit"


def test_what_never_began_leaves_nothing_behind(corpus: Path, tmp_path: Path) -> None:
    """So that the config can be mended and the same --out be given again."""
    too_many = small_config(training={"batch_sentences": 100_000})
    asked = request(corpus, tmp_path / "run")
    with pytest.raises(UsageError, match="fewer than one batch"):
        train(replace(asked, config=too_many), silent)
    assert os.listdir(tmp_path) == []
    assert train(asked, silent) == "step limit"


def test_a_run_that_has_begun_is_never_forgotten(finished: Path, corpus: Path) -> None:
    (finished / "result.json").unlink()
    (list_checkpoints(finished)[-1] / "state.json").write_text("")
    before = contents(finished)
    with pytest.raises(TerselyError, match="Remove this folder"):
        train(request(corpus, finished), silent)
    assert contents(finished) == before


@pytest.mark.parametrize("name", ["run.json", "result.json"])
@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[1]", b'{"config": '])
def test_a_damaged_note_is_named(name: str, content: bytes, finished: Path, corpus: Path) -> None:
    (finished / name).write_bytes(content)
    with pytest.raises(TerselyError, match=name):
        train(request(corpus, finished), silent)


def test_data_that_is_none_starts_no_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a prepared corpus"):
        train(request(tmp_path / "nowhere", tmp_path / "run"), silent)
    assert os.listdir(tmp_path) == []


def test_figures_are_reported_as_they_come(corpus: Path, tmp_path: Path) -> None:
    told: list[int] = []
    config = small_config(training={"max_steps": 60, "checkpoint_every_steps": 60})
    asked = request(corpus, tmp_path / "run", config=config, tensorboard=True)
    train(asked, lambda step, row: told.append(step) if "loss_nats_a_token" in row else None)
    assert told == [25, 50]
    assert any((tmp_path / "run" / "tensorboard").iterdir())
