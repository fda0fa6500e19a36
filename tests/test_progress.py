"""Progress: a bar on a terminal, few lines in a pipe or file."""

import io
import subprocess
import sys

import pytest

from tersely.progress import ProgressBar

FAST_LOOP = """
from tersely.progress import ProgressBar
with ProgressBar(200_000, unit="sentence") as bar:
    for _ in range(200_000):
        bar.advance()
"""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_pipe_gets_no_lines_from_a_short_task() -> None:
    completed = subprocess.run([sys.executable, "-c", FAST_LOOP], capture_output=True, check=True)
    assert completed.stderr == completed.stdout == b""


def test_a_pipe_gets_a_line_with_the_position_per_interval(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with ProgressBar(200, unit="sentence", seconds_between_lines=0) as bar:
        bar.phase("calibrating")
        bar.advance(50)
    assert capsys.readouterr().err == (
        "calibrating: 50 sentences of 200 sentences (25%), 0 s, about 0 s left\n"
    )


def test_a_line_without_total_has_no_share(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressBar(unit="B", seconds_between_lines=0) as bar:
        bar.advance(3 << 19)
    assert capsys.readouterr().err == "1.5 MiB, 0 s\n"


def test_the_metrics_of_a_resumed_run_are_in_the_line(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressBar(1000, unit="step", seconds_between_lines=0) as bar:
        bar.move_to(500, {"loss": "1.250"})
    assert capsys.readouterr().err == "500 steps of 1,000 steps (50%), 0 s, loss 1.250\n"


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with ProgressBar(100, unit="step") as bar:
        bar.move_to(10, {"loss": "1.250"})
    assert "10/100" in terminal.getvalue()
    assert "loss=1.250" in terminal.getvalue()


def test_a_terminal_without_tqdm_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with ProgressBar(4, unit="step", seconds_between_lines=0) as bar:
        bar.advance()
    assert terminal.getvalue().startswith("1 step of 4 steps (25%)")
