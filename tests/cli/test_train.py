"""`tersely train`: its output, signals, and errors on bad input."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tersely.cli.main import main
from tersely.model.folder import ModelFolder
from tersely.model.quantization import dequantize
from tersely.training.checkpoint import list_checkpoints
from tests.cli.broken_models import BROKEN_MODELS, broken_model
from tests.cli.invocation import file_contents, invoke, invoke_in_subprocess

CONFIG = """
[model]
embedding_units = 12
encoder_units = 12
reader_units = 12
decoder_units = 12

[training]
batch_sentences = 16
max_steps = 6
evaluate_every_steps = 3
evaluate_sentences = 20
checkpoint_every_steps = 3
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "in" / "small.toml"
    path.parent.mkdir()
    path.write_text(CONFIG)
    return path


@pytest.fixture(scope="module")
def original(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of that config, finished."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "small.toml").write_text(CONFIG)
    command = ["--config", folder / "small.toml", "--data", corpus, "--out", folder / "run"]
    assert main(["train", *map(str, command), "--threads", "1"]) == 0
    return folder / "run"


@pytest.fixture
def finished(original: Path, tmp_path: Path) -> Path:
    return shutil.copytree(original, tmp_path / "run")


def run(*arguments: object) -> int:
    return main(["train", *map(str, arguments), "--threads", "1"])


def test_the_path_of_the_model_is_printed_and_metrics_are_shown_on_a_terminal(
    config: Path,
    corpus: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    command = ["--config", config, "--data", corpus, "--out", tmp_path / "out"]
    changes = ["max_steps=30", "seed=2", "checkpoint_every_steps=30"]
    assert run(*command, *(f"--set=training.{change}" for change in changes)) == 0
    output = capsys.readouterr()
    assert (
        output.out == f"{tmp_path / 'out'}: step limit. The model is in {tmp_path / 'out/model'}.\n"
    )
    for figure in ("loss=", "kept=", "λ=", "entropy=", "tokens/s="):
        assert figure in output.err
    settings = ModelFolder.from_pretrained(tmp_path / "out").settings
    assert settings["trained"]["config"]["training"]["seed"] == 2
    request = json.loads((tmp_path / "out" / "run.json").read_text())
    assert request["config"]["training"]["max_steps"] == 30


def test_repeating_the_command_of_a_finished_run_changes_nothing(
    config: Path, corpus: Path, finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = file_contents(finished)
    assert run("--config", config, "--data", corpus, "--out", finished) == 0
    assert "step limit" in capsys.readouterr().out
    assert file_contents(finished) == before


def test_the_training_time_can_be_limited(
    config: Path, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["--config", config, "--data", corpus, "--out", tmp_path / "out"]
    assert run(*command, "--minutes", "0.0000001") == 0
    assert "stopped" in capsys.readouterr().out
    assert list_checkpoints(tmp_path / "out")[-1].name == "step-00000001"


def test_training_can_start_from_a_model(
    config: Path, corpus: Path, original: Path, tmp_path: Path
) -> None:
    command = ["--config", config, "--data", corpus, "--out", tmp_path / "out"]
    assert run(*command, "--init", original) == 0
    assert json.loads((tmp_path / "out" / "run.json").read_text())["init"] == str(original)


@pytest.mark.promise(23)
def test_a_signal_saves_and_repeating_the_command_resumes(
    config: Path, corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    command = [
        *(sys.executable, "-m", "tersely", "train", "--config", str(config), "--threads", "1"),
        *("--data", str(corpus), "--out", str(out), "--set", "training.max_steps=1000000"),
        *("--set", "training.checkpoint_every_steps=1000000"),
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        metrics = out / "metrics.jsonl"
        while not (metrics.exists() and '"step": 25,' in metrics.read_text()):
            assert process.poll() is None
            time.sleep(0.05)
        sent = time.monotonic()
        process.send_signal(signal.SIGTERM)
        stderr = process.stderr.read()
        assert process.wait() == 1
        assert time.monotonic() - sent < 30
    last = stderr.strip().splitlines()[-1]
    assert last == f"tersely: {out}: stopped and saved. Repeat the command to resume."
    assert "Traceback" not in stderr
    stopped = int(re.sub(r"\D", "", list_checkpoints(out)[-1].name))
    assert stopped >= 25
    assert ModelFolder.from_pretrained(out).settings["trained"]["steps"] == stopped

    resumed = subprocess.run([*command, "--minutes", "0.0000001"], capture_output=True, check=False)
    assert resumed.returncode == 0
    assert list_checkpoints(out)[-1].name == f"step-{stopped + 1:08d}"


BAD = {
    "missing config": ["--config", "no.toml"],
    "empty config": ["--config", "empty.toml"],
    "binary config": ["--config", "binary.toml"],
    "a folder for a config": ["--config", "."],
    "half a config": ["--config", "half.toml"],
    "unknown key": ["--config", "key.toml"],
    "wrong type": ["--config", "type.toml"],
    "nonsense changed": ["--set", "training.sead=2"],
    "no key changed": ["--set", "training"],
    "no number": ["--set", "training.learning_rate=nan"],
    "no steps": ["--set", "training.max_steps=0"],
    "a negative seed": ["--set", "training.seed=-1"],
    "nothing to judge": ["--set", "training.evaluate_sentences=0"],
    "another config": ["--set", "training.seed=2"],
    "missing data": ["--data", "nowhere"],
    "a file for data": ["--data", "small.toml"],
    "a model for data": ["--data", "model"],
    "empty summary": ["--data", "empty summary"],
    "binary summary": ["--data", "binary summary"],
    "missing lexicon": ["--data", "missing lexicon"],
    "empty arrays": ["--data", "empty arrays"],
    "binary arrays": ["--data", "binary arrays"],
    "no dev": ["--data", "no dev"],
    "missing model": ["--init", "nowhere"],
    "no model": ["--init", "empty summary"],
    "no time": ["--minutes", "0"],
    "no number of minutes": ["--minutes", "nan"],
    "no threads": ["--threads", "0"],
}


@pytest.mark.promise(25)
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_a_one_line_error_and_changes_no_file(
    case: str,
    config: Path,
    corpus: Path,
    original: Path,
    finished: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(config.parent)
    make_bad_files(corpus, original)
    (finished / "result.json").unlink()  # not finished after all: it would go on
    before = file_contents(tmp_path)
    for out in (finished, tmp_path / "new"):
        if case == "another config" and out != finished:
            continue
        whole = ["train", "--threads", 1, "--config", config, "--data", corpus, "--out", out]
        result = invoke(capsys, *whole, *BAD[case])
        assert result.is_one_line_error(), result.stderr
        if case not in ("missing lexicon",):
            assert result.code == 2, result.stderr
    assert file_contents(tmp_path) == before
    assert not (tmp_path / "new").exists()


def make_bad_files(corpus: Path, original: Path) -> None:
    Path("empty.toml").write_bytes(b"")
    Path("binary.toml").write_bytes(bytes(range(256)))
    Path("half.toml").write_text(CONFIG[: len(CONFIG) // 2])
    Path("key.toml").write_text(CONFIG.replace("max_steps", "max_stepps"))
    Path("type.toml").write_text(CONFIG.replace("= 6", '= "six"'))
    Path("model").symlink_to(original / "model")
    for name in ("empty summary", "binary summary", "missing lexicon", "empty arrays", "no dev"):
        shutil.copytree(corpus, name)
    shutil.copytree(corpus, "binary arrays")
    Path("empty summary/summary.json").write_bytes(b"")
    Path("binary summary/summary.json").write_bytes(bytes(range(256)))
    Path("missing lexicon/lexicon.txt").unlink()
    Path("empty arrays/train.tokens.npy").write_bytes(b"")
    Path("binary arrays/train.offsets.npy").write_bytes(bytes(range(256)))
    empty_split(Path("no dev"), "dev")


def empty_split(data: Path, name: str) -> None:
    import numpy as np

    np.save(data / f"{name}.tokens.npy", np.zeros(0, np.int32))
    np.save(data / f"{name}.offsets.npy", np.zeros(1, np.int64))


@pytest.mark.promise(25)
@pytest.mark.parametrize("kind", BROKEN_MODELS)
def test_a_broken_model_starts_no_run(
    kind: str,
    config: Path,
    corpus: Path,
    original: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    model = broken_model(kind, tmp_path, original)
    command = ["train", "--config", config, "--data", corpus, "--out", tmp_path / "out"]
    assert invoke(capsys, *command, "--threads", 1, "--init", model).is_one_line_error()
    assert not (tmp_path / "out").exists()


@pytest.mark.promise(25)
def test_a_folder_that_is_not_a_run_is_left_unchanged(
    config: Path, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "thesis.tex").write_text("years of work")
    (tmp_path / "letter").write_text("a letter")
    before = file_contents(tmp_path)
    for name in ("thesis", "letter"):
        command = ["train", "--config", config, "--data", corpus, "--out", tmp_path / name]
        assert invoke(capsys, *command, "--threads", 1).is_one_line_error(2)
    assert file_contents(tmp_path) == before


@pytest.mark.promise(25)
def test_a_full_disk_is_a_one_line_error_and_repeating_the_command_resumes(
    config: Path, corpus: Path, tmp_path: Path, finished: Path
) -> None:
    out = tmp_path / "out"
    command = ["train", "--config", config, "--data", corpus, "--threads", 1, "--out", out]
    for largest in (100, 3000, 60_000):  # at the first note, at a checkpoint
        [result] = invoke_in_subprocess([command], max_file_bytes=largest)
        assert result.is_one_line_error(1), result.stderr
        assert list_checkpoints(out) == []
        assert not list(out.rglob("*.safetensors"))
    assert main(list(map(str, command))) == 0
    ours, theirs = ModelFolder.from_pretrained(out), ModelFolder.from_pretrained(finished)
    for name, tensor in ours.tensors.items():
        assert np.array_equal(dequantize(tensor), dequantize(theirs.tensors[name])), name


@pytest.mark.promise(25)
def test_a_full_disk_removes_no_checkpoint(
    config: Path, corpus: Path, tmp_path: Path, finished: Path
) -> None:
    shutil.rmtree(list_checkpoints(finished)[-1])
    (finished / "result.json").unlink()
    kept = file_contents(finished / "checkpoints")
    command = ["train", "--config", config, "--data", corpus, "--threads", 1, "--out", finished]
    [result] = invoke_in_subprocess([command], max_file_bytes=60_000)
    assert result.is_one_line_error(1)
    assert "Free some space" in result.message
    assert file_contents(finished / "checkpoints") == kept
    assert ModelFolder.from_pretrained(finished).tensors


@pytest.mark.promise(25)
def test_a_lack_of_permission_is_a_one_line_error(
    config: Path, corpus: Path, tmp_path: Path, without_privileges: list[str]
) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    secret = Path(shutil.copy(config, tmp_path / "secret.toml"))
    data = shutil.copytree(corpus, tmp_path / "data")
    for path in (secret, data / "train.tokens.npy"):
        path.chmod(0)
    out = tmp_path / "out"
    commands = [
        ["train", "--config", secret, "--data", corpus, "--out", out],
        ["train", "--config", config, "--data", data, "--out", out],
        ["train", "--config", config, "--data", corpus, "--out", tmp_path / "locked" / "out"],
    ]
    for result in invoke_in_subprocess(commands, before=without_privileges):
        assert result.is_one_line_error()
        assert "ermission" in result.message
    assert not out.exists()
