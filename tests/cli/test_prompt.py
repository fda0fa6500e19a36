"""The prompt as a person meets it: at a real terminal, without one, and without the library."""

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tersely.cli import prompt
from tersely.cli.main import main
from tersely.cli.prompt import open_prompt, pick_until_enough
from tersely.completion.completer import Completer
from tersely.completion.memory import Memory
from tersely.errors import UsageError


class Picks:
    """A view that picks sentences one after the other."""

    def __init__(self, *sentences: str, remembers: bool) -> None:
        self._sentences, self.remembers = iter(sentences), remembers

    def run(self) -> str | None:
        return next(self._sentences, None)


@pytest.mark.parametrize("remembers", [True, False])
def test_what_is_picked_is_shown_copied_and_remembered_if_told_to(remembers: bool) -> None:
    shown, copied, remembered = [], [], []
    pick_until_enough(
        Picks("I am late.", "So am I.", remembers=remembers),
        show=shown.append,
        copy=copied.append,
        remember=remembered.append,
    )
    assert shown == copied == ["I am late.", "So am I."]
    assert remembered == (shown if remembers else [])


@pytest.mark.parametrize("reason", ["no library", "no terminal to draw on"])
def test_there_is_a_plain_prompt_where_the_full_one_cannot_be(
    reason: str, trained: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    typed = iter(["waiter"])

    def ask(_: str) -> str:
        try:
            return next(typed)
        except StopIteration as end:
            raise EOFError from end

    monkeypatch.setattr("builtins.input", ask)
    if reason == "no library":
        monkeypatch.setattr(prompt, "find_spec", lambda _: None)
        monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    open_prompt(Completer.load(trained), 1, lambda found: found[0].text, prefix=False, without=())
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert "Ctrl-D" in first
    assert "waiter" in second


def test_a_wrong_number_of_suggestions_is_said_before_anything_is_typed(trained: Path) -> None:
    with pytest.raises(UsageError, match="between 1 and 10"):
        open_prompt(Completer.load(trained), 0, str)


def test_a_memory_may_begin_at_the_prompt(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Completer] = []
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(prompt, "open_prompt", lambda completer, *_, **__: opened.append(completer))
    path = tmp_path / "phrases.db"
    assert main(["complete", "--model", str(trained), "--memory", str(path)]) == 0
    assert opened[0].memory is not None
    assert path.is_file()


def read_until(terminal: int, wanted: str, drawn: str = "") -> str:
    """Read what a program draws, after what it has drawn, until there is something."""
    end = time.monotonic() + 240
    while wanted not in drawn:
        ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
        assert ready, f"{wanted!r} did not appear in {drawn!r}"
        drawn += os.read(terminal, 4096).decode(errors="replace")
    return drawn


def test_at_a_real_terminal_suggestions_appear_and_what_is_picked_is_remembered(
    trained: Path, tmp_path: Path
) -> None:
    ours, theirs = pty.openpty()
    path = tmp_path / "phrases.db"
    command = ["complete", "--model", str(trained), "--memory", str(path)]
    environment = {**os.environ, "TERM": "xterm", "SSH_CONNECTION": "over there"}
    process = subprocess.Popen(
        [sys.executable, "-m", "tersely", *command],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        read_until(ours, "Ctrl-D ends")
        os.write(ours, b"\x12waiter")
        read_until(ours, "3  ")
        os.write(ours, b"\r")
        drawn = read_until(ours, "\a")
        assert "\033]52;c;" in drawn
        read_until(ours, "Ctrl-D ends", drawn.rpartition("\a")[2])
        os.write(ours, b"\x04")
        assert process.wait(240) == 0
    finally:
        process.kill()
        os.close(ours)
    with Memory(path) as memory:
        [one] = memory.export()
    assert "waiter" in one.text.lower()


def test_the_library_is_imported_only_when_the_prompt_opens(trained: Path) -> None:
    code = (
        "import sys; from tersely.cli.main import main\n"
        f"main(['complete', 'late', '--model', {str(trained)!r}])\n"
        "sys.exit('prompt_toolkit' in sys.modules or 'pyperclip' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
