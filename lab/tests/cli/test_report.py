"""`tersely report`: its messages, and bad input."""

import shutil
from pathlib import Path

import pytest

from tersely.cli.main import main
from tests.cli.invocation import file_contents, invoke, invoke_in_subprocess


@pytest.fixture
def one_run(sweep: Path, tmp_path: Path) -> Path:
    """A sweep of a single run: enough for a report, and quick."""
    shutil.copytree(sweep / "unif-0.3", tmp_path / "sweep" / "unif-0.3")
    return tmp_path / "sweep"


PLAN = """
base = "base.toml"
[[runs]]
name = "unif-0.3"
[[runs]]
name = "never-started"
"""


def test_the_command_names_the_page_and_the_missing_runs(
    one_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "base.toml").write_text("[training]\nmax_steps = 5\n")
    (tmp_path / "plan.toml").write_text(PLAN)
    command = ["report", one_run, "--out", tmp_path / "out", "--plan", tmp_path / "plan.toml"]
    assert main([*map(str, command), "--draws", "100"]) == 0
    output = capsys.readouterr().out
    assert "missing: never-started: not there" in output
    assert output.strip().endswith("index.html: 1 runs.")
    page = (tmp_path / "out" / "index.html").read_text()
    assert "never-started" in page
    assert str(tmp_path) not in page


BAD = {
    "no such sweep": ["missing", "--out", "new"],
    "an empty sweep": ["empty", "--out", "new"],
    "a file as sweep": ["file.txt", "--out", "new"],
    "a file as out": ["sweep", "--out", "file.txt"],
    "somebody's folder as out": ["sweep", "--out", "precious"],
    "a folder as Markdown": ["sweep", "--out", "new", "--markdown", "precious"],
    "a missing plan": ["sweep", "--out", "new", "--plan", "no.toml"],
    "a binary plan": ["sweep", "--out", "new", "--plan", "binary.toml"],
    "too few draws": ["sweep", "--out", "new", "--draws", "3"],
    "fewer than no sentences": ["sweep", "--out", "new", "--matrix-sentences", "-1"],
    "a sentence that is no text": ["sweep", "--out", "new", "--sentence", "\udcff"],
    "a sentence without a model": ["sweep", "--out", "new", "--sentence", "Hello."],
}


@pytest.mark.promise(25)
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_line_and_loses_nothing(
    case: str,
    one_run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    Path("file.txt").write_text("precious")
    Path("binary.toml").write_bytes(bytes(range(256)))
    Path("precious").mkdir()
    Path("precious/thesis.tex").write_text("precious")
    before = file_contents(tmp_path)
    assert invoke(capsys, "report", *BAD[case]).is_one_line_error(2)
    assert file_contents(tmp_path) == before


@pytest.mark.promise(25)
def test_a_full_disk_is_said_plainly_and_loses_nothing(one_run: Path, tmp_path: Path) -> None:
    [result] = invoke_in_subprocess(
        [["report", one_run, "--out", tmp_path / "out", "--draws", "100"]], max_file_bytes=1500
    )
    assert result.is_one_line_error(1)
    assert not (tmp_path / "out" / "index.html").exists()


@pytest.mark.promise(25)
def test_a_lack_of_permission_is_said_plainly(
    one_run: Path, tmp_path: Path, without_privileges: list[str]
) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    [result] = invoke_in_subprocess(
        [["report", one_run, "--out", locked / "out", "--draws", "100"]],
        before=without_privileges,
    )
    assert result.is_one_line_error()
    assert "ermission" in result.message
