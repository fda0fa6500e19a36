import os
import subprocess
import sys
from pathlib import Path

import pytest

from tersely.storage.atomic import new_file, new_folder, remove_leftovers


def test_a_folder_appears_when_it_is_complete(tmp_path: Path) -> None:
    with new_folder(tmp_path / "out") as partial:
        (partial / "a").write_text("1")
        assert not (tmp_path / "out").exists()
    assert (tmp_path / "out" / "a").read_text() == "1"
    assert os.listdir(tmp_path) == ["out"]


def test_a_failure_leaves_the_previous_folder(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "old").write_text("old")
    with pytest.raises(RuntimeError, match="broken"), new_folder(tmp_path / "out") as partial:
        (partial / "a").write_text("1")
        raise RuntimeError("broken")
    assert os.listdir(tmp_path) == ["out"]
    assert (tmp_path / "out" / "old").read_text() == "old"


def test_a_new_folder_replaces_an_old_one_completely(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "old").write_text("old")
    with new_folder(tmp_path / "out") as partial:
        (partial / "new").write_text("new")
    assert os.listdir(tmp_path / "out") == ["new"]
    assert os.listdir(tmp_path) == ["out"]


def test_the_partial_folder_of_a_killed_process_is_removed(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from tersely.storage.atomic import new_folder\n"
        "with new_folder(Path(sys.argv[1])) as partial: os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "out")], check=False)
    assert len(os.listdir(tmp_path)) == 1
    with new_folder(tmp_path / "out"):
        pass
    assert os.listdir(tmp_path) == ["out"]


def test_a_folder_between_two_renames_is_restored(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", "pass"])
    dead.wait()
    old = tmp_path / f".out.{dead.pid}.abc.old"
    old.mkdir()
    (old / "a").write_text("old")
    remove_leftovers(tmp_path / "out")
    assert (tmp_path / "out" / "a").read_text() == "old"
    assert os.listdir(tmp_path) == ["out"]


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("old")
    with pytest.raises(RuntimeError, match="broken"), new_file(tmp_path / "f") as partial:
        partial.write_text("half")
        raise RuntimeError("broken")
    assert (tmp_path / "f").read_text() == "old"
    with new_file(tmp_path / "f") as partial:
        partial.write_text("new")
    assert (tmp_path / "f").read_text() == "new"
    assert os.listdir(tmp_path) == ["f"]
