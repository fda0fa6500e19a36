import subprocess
import sys
import time

import pytest

from tersely import __version__
from tersely.cli.main import COMMANDS, main


def tersely(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tersely", *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.promise(24)
def test_help_comes_at_once() -> None:
    def seconds(*arguments: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
        return time.perf_counter() - start

    pairs = [(seconds("-c", "pass"), seconds("-m", "tersely", "--help")) for _ in range(7)]
    bare, helped = (min(each) for each in zip(*pairs, strict=True))  # when least disturbed
    assert helped < 15 * bare


@pytest.mark.promise(24)
@pytest.mark.parametrize("arguments", [["--help"], *([name, "--help"] for name in COMMANDS)])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys; from tersely.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'torch', 'matplotlib', 'regex', 'tqdm'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "usage: tersely" in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_examples(name: str) -> None:
    assert "examples:" in tersely(name, "--help").stdout


def test_the_version_is_told() -> None:
    assert tersely("--version").stdout.strip() == f"tersely {__version__}"


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["--nonsense"], ["prepare", "--bad"]])
def test_misuse_exits_with_2(arguments: list[str]) -> None:
    done = tersely(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "usage:" in done.stderr


def test_an_error_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path) -> None:
    assert main(["prepare", str(tmp_path / "no.txt"), "--out", str(tmp_path / "o")]) == 2
    complaint = capsys.readouterr().err
    assert complaint.startswith("tersely: ")
    assert complaint.count("\n") == 1
