import subprocess
from pathlib import Path

import pytest

from tersely.errors import TerselyError, UsageError
from tersely_lab.benchmarks import venvs
from tersely_lab.benchmarks.venvs import ensure_venv


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    commands: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        (tmp_path / "peer").mkdir(exist_ok=True)
        (tmp_path / "peer" / "pyvenv.cfg").touch()
        return subprocess.CompletedProcess(command, int("fail" in command), "", "a\nno wheel")

    monkeypatch.setattr(venvs.subprocess, "run", run)
    return commands


def test_commands_run_once_for_the_same_versions(tmp_path: Path, ran) -> None:
    for version in ("1", "1", "2"):
        ensure_venv(tmp_path / "peer", [["make"], ["fill"]], name="Peer", versions={"a": version})
    assert ran == [["make"], ["fill"]] * 2


def test_a_failure_is_said_and_tried_again(tmp_path: Path, ran) -> None:
    for _ in range(2):
        with pytest.raises(TerselyError, match=r"Peer could not be installed \(no wheel\).*--no-p"):
            ensure_venv(tmp_path / "peer", [["fail"]], name="Peer", versions={})
    assert ran == [["fail"]] * 2


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path, ran) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ann,")
    with pytest.raises(UsageError, match="is no venv"):
        ensure_venv(tmp_path, [["make"]], name="Peer", versions={})
    assert ran == []
