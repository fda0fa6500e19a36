import json
import subprocess
import sys
from pathlib import Path

import pytest

from tersely.errors import TerselyError, UsageError
from tersely_lab.benchmarks.peers import (
    T5_SMALL,
    TRANSFORMERS_VERSION,
    ensure_venv,
    install_opennmt,
    install_transformers,
    run_candidate,
    t5_step_multiply_adds,
)


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_the_last_line_is_the_outcome_and_peak_memory_is_added() -> None:
    code = "x = bytearray(60 << 20); print('loading'); print('{\"seconds\": [1]}')"
    outcome = run_candidate(python(code), name="Ours", is_peer=False)
    assert outcome["seconds"] == [1]
    assert 60 < outcome["peak_mib"] < 1000


@pytest.mark.parametrize("is_peer", [True, False])
def test_candidates_run_on_one_thread_and_peers_without_our_path(
    is_peer: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/ours")
    code = (
        "import json, os; print(json.dumps({'path': os.environ.get('PYTHONPATH'),"
        "'threads': os.environ['OMP_NUM_THREADS'] + os.environ['OPENBLAS_NUM_THREADS']}))"
    )
    outcome = run_candidate(python(code), name="Some", is_peer=is_peer)
    assert outcome["threads"] == "11"
    assert outcome["path"] == (None if is_peer else "/ours")


def test_a_failed_candidate_is_reported_with_its_last_line() -> None:
    with pytest.raises(TerselyError, match=r"Peer failed \(No module named onmt\).*--no-peer"):
        run_candidate(python("raise SystemExit('No module named onmt')"), name="Peer", is_peer=True)
    with pytest.raises(TerselyError, match=r"Ours failed \(no output\)"):
        run_candidate(python("raise SystemExit(3)"), name="Ours", is_peer=False)


def test_an_error_in_json_is_raised() -> None:
    error = json.dumps({"error": "x: no such model folder."})
    with pytest.raises(UsageError, match=r"^x: no such model folder\.$"):
        run_candidate(python(f"print({error!r})"), name="Ours", is_peer=False)


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands run; a command with the word "fail" fails, the others leave a venv."""
    commands: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        (tmp_path / "peer").mkdir(exist_ok=True)
        (tmp_path / "peer" / "pyvenv.cfg").touch()
        return subprocess.CompletedProcess(command, int("fail" in command), "", "a\nno wheel")

    monkeypatch.setattr(subprocess, "run", run)
    return commands


def test_a_venv_is_made_once_for_the_same_versions(
    tmp_path: Path, commands: list[list[str]]
) -> None:
    for version in ("1", "1", "2"):
        ensure_venv(tmp_path / "peer", [["make"], ["fill"]], name="Peer", versions={"a": version})
    assert commands == [["make"], ["fill"]] * 2


def test_a_failed_install_is_reported_and_leaves_no_marker(
    tmp_path: Path, commands: list[list[str]]
) -> None:
    for _ in range(2):
        with pytest.raises(TerselyError, match=r"Peer could not be installed \(no wheel\).*--no-p"):
            ensure_venv(tmp_path / "peer", [["fail"]], name="Peer", versions={})
    assert commands == [["fail"]] * 2
    assert [path.name for path in (tmp_path / "peer").iterdir()] == ["pyvenv.cfg"]


def test_a_folder_that_is_no_venv_is_left_alone(tmp_path: Path, commands: list[list[str]]) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ann,")
    with pytest.raises(UsageError, match="is not a venv"):
        ensure_venv(tmp_path, [["make"]], name="Peer", versions={})
    with pytest.raises(UsageError, match="is not a venv"):
        install_opennmt(tmp_path, torch_version="2.13.0")
    assert commands == []
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_opennmt_is_installed_with_our_torch_and_without_its_requirements(
    tmp_path: Path, commands: list[list[str]]
) -> None:
    for version in ("2.13.0+cpu", "2.13.0+cpu"):
        install_opennmt(tmp_path / "peer", torch_version=version)
    assert len(commands) == 4
    assert commands[0][1:3] == ["-m", "venv"]
    assert commands[1][-1] == "torch==2.13.0"
    assert commands[2][-2:] == ["--no-deps", "OpenNMT-py==3.5.1"]
    words = [word for command in commands for word in command]
    assert all("==" in word for word in words if word.startswith("torch"))
    install_opennmt(tmp_path / "peer", torch_version="2.14.0")
    assert len(commands) == 8


def test_transformers_is_installed_with_our_torch(
    tmp_path: Path, commands: list[list[str]]
) -> None:
    install_transformers(tmp_path / "peer", torch_version="2.13.0+cpu")
    assert commands[1][-2:] == ["torch==2.13.0", "numpy"]
    assert commands[2][-1] == f"transformers=={TRANSFORMERS_VERSION}"
    marker = json.loads((tmp_path / "peer" / "complete.json").read_text())
    assert marker == {"transformers": TRANSFORMERS_VERSION, "torch": "2.13.0+cpu"}


def test_a_t5_step_multiplies_its_decoder_and_the_vocabulary() -> None:
    assert t5_step_multiply_adds(T5_SMALL) == 6 * (6 * 512 * 512 + 2 * 512 * 2048) + 512 * 32_128
