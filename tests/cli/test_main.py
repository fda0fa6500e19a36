import importlib.metadata
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tersely import __version__
from tersely.cli.main import COMMANDS, LAB_COMMANDS, main


def tersely(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tersely", *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.promise(24)
def test_help_is_quick() -> None:
    def seconds(*arguments: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
        return time.perf_counter() - start

    pairs = [(seconds("-c", "pass"), seconds("-m", "tersely", "--help")) for _ in range(7)]
    bare, help_ = (min(seconds) for seconds in zip(*pairs, strict=True))  # the least disturbed
    assert help_ < 15 * bare


@pytest.mark.promise(24)
@pytest.mark.parametrize("arguments", [["--help"], *([name, "--help"] for name in COMMANDS)])
def test_help_imports_no_heavy_library(arguments: list[str]) -> None:
    code = (
        "import sys; from tersely.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'torch', 'matplotlib', 'regex', 'tqdm'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    process = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    assert "usage: tersely" in process.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_examples(name: str) -> None:
    assert "examples:" in tersely(name, "--help").stdout


def test_the_version_is_printed() -> None:
    assert tersely("--version").stdout.strip() == f"tersely {__version__}"


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["--nonsense"], ["prepare", "--bad"]])
def test_a_usage_error_exits_with_2(arguments: list[str]) -> None:
    process = tersely(*arguments)
    assert process.returncode == 2
    assert "Traceback" not in process.stderr
    assert "usage:" in process.stderr


def test_an_error_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["prepare", str(tmp_path / "no.txt"), "--out", str(tmp_path / "o")]) == 2
    message = capsys.readouterr().err
    assert message.startswith("tersely: ")
    assert message.count("\n") == 1


def test_only_the_first_word_that_is_not_an_option_names_the_command() -> None:
    code = (
        "import sys; from tersely.cli.main import parser\n"
        "arguments = ['complete', 'train']\n"
        "args = parser(arguments).parse_args(arguments)\n"
        "assert (args.command, args.keywords) == ('complete', 'train')\n"
        "sys.exit('tersely.cli.train' in sys.modules or 'tersely.training' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_help_reads_no_entry_points() -> None:
    code = (
        "import sys; from tersely.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "sys.exit('importlib.metadata' in sys.modules)"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert process.returncode == 0
    for name, summary in (COMMANDS | LAB_COMMANDS).items():
        assert name in process.stdout
        assert summary in " ".join(process.stdout.split())


@pytest.mark.parametrize("name", LAB_COMMANDS)
@pytest.mark.parametrize("arguments", [[], ["--help"]])
def test_without_the_lab_its_commands_name_the_install_command(
    name: str,
    arguments: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: ())
    assert main([name, *arguments]) == 2
    message = capsys.readouterr().err
    assert message.startswith(f"tersely: `tersely {name}` is part of tersely-lab")
    assert message.endswith("pip install ./lab\n")
