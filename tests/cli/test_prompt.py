"""The prompt at a terminal, without one, and without prompt_toolkit; and the clipboard."""

import base64
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
from tersely.cli.prompt import MAX_CLIPBOARD_BYTES, accept_sentences, copy, open_prompt
from tersely.completion.completer import Completer
from tersely.completion.memory import Memory
from tersely.completion.options import CompletionOptions
from tersely.completion.suggestion import Suggestion

CTRL_D, CTRL_R, ENTER = b"\x04", b"\x12", b"\r"
TIMEOUT_SECONDS = 240


class ScriptedView:
    """A prompt that accepts the given sentences one after the other."""

    def __init__(self, *sentences: str, is_memory_on: bool) -> None:
        self._sentences, self.is_memory_on = iter(sentences), is_memory_on

    def run(self) -> str | None:
        return next(self._sentences, None)


@pytest.mark.parametrize("is_memory_on", [True, False])
def test_accepted_sentences_are_shown_copied_and_remembered_if_the_memory_is_on(
    is_memory_on: bool,
) -> None:
    shown: list[str] = []
    copied: list[str] = []
    remembered: list[str] = []
    accept_sentences(
        ScriptedView("I am late.", "So am I.", is_memory_on=is_memory_on),
        show=shown.append,
        copy=copied.append,
        remember=remembered.append,
    )
    assert shown == copied == ["I am late.", "So am I."]
    assert remembered == (shown if is_memory_on else [])


@pytest.mark.parametrize("reason", ["no prompt_toolkit", "no terminal"])
def test_the_plain_prompt_replaces_the_live_prompt(
    reason: str,
    trained: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = iter(["waiter"])

    def read_line(_: str) -> str:
        try:
            return next(lines)
        except StopIteration as end:
            raise EOFError from end

    def first_text(suggestions: list[Suggestion]) -> str:
        return suggestions[0].text

    monkeypatch.setattr("builtins.input", read_line)
    if reason == "no prompt_toolkit":
        monkeypatch.setattr(prompt, "find_spec", lambda _: None)
        monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    open_prompt(Completer.load(trained), CompletionOptions(n=1), first_text)
    help_line, suggestion, *_ = capsys.readouterr().out.splitlines()
    assert "Ctrl-D" in help_line
    assert "waiter" in suggestion


def test_a_bad_number_of_suggestions_is_an_error_before_the_prompt_opens(
    trained: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(prompt, "open_prompt", lambda *_: pytest.fail("the prompt opened"))
    assert main(["complete", "--model", str(trained), "-n", "0"]) == 2
    assert "n must be between 1 and 10, got 0" in capsys.readouterr().err


def test_the_prompt_creates_a_missing_memory(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Completer] = []
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(prompt, "open_prompt", lambda completer, *_: opened.append(completer))
    path = tmp_path / "phrases.db"
    assert main(["complete", "--model", str(trained), "--memory", str(path)]) == 0
    assert opened[0].memory is not None
    assert path.is_file()


def read_until(terminal: int, text: str, output: str = "") -> str:
    """Append what a program draws to `output` until it contains the text."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while text not in output:
        ready, _, _ = select.select([terminal], [], [], max(0, deadline - time.monotonic()))
        assert ready, f"{text!r} did not appear in {output!r}"
        output += os.read(terminal, 4096).decode(errors="replace")
    return output


def test_at_a_terminal_suggestions_appear_and_the_accepted_one_is_remembered(
    trained: Path, tmp_path: Path
) -> None:
    controller, terminal = pty.openpty()
    path = tmp_path / "phrases.db"
    command = ["complete", "--model", str(trained), "--memory", str(path)]
    environment = {**os.environ, "TERM": "xterm", "SSH_CONNECTION": "1 2 3 4"}
    process = subprocess.Popen(
        [sys.executable, "-m", "tersely", *command],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=environment,
        start_new_session=True,
    )
    os.close(terminal)
    try:
        read_until(controller, "Ctrl-D ends")
        os.write(controller, CTRL_R + b"waiter")
        read_until(controller, "3  ")
        os.write(controller, ENTER)
        output = read_until(controller, "\a")
        assert "\033]52;c;" in output
        read_until(controller, "Ctrl-D ends", output.rpartition("\a")[2])
        os.write(controller, CTRL_D)
        assert process.wait(TIMEOUT_SECONDS) == 0
    finally:
        process.kill()
        os.close(controller)
    with Memory(path) as memory:
        [sentence] = memory.export()
    assert "waiter" in sentence.text.lower()


def test_prompt_toolkit_is_imported_only_when_the_prompt_opens(trained: Path) -> None:
    code = (
        "import sys; from tersely.cli.main import main\n"
        f"main(['complete', 'late', '--model', {str(trained)!r}])\n"
        "sys.exit('prompt_toolkit' in sys.modules or 'pyperclip' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


class Pyperclip:
    """A replacement for pyperclip with a clipboard that works or raises."""

    class PyperclipException(RuntimeError):  # noqa: N818
        pass

    def __init__(self) -> None:
        self.copied: list[str] = []
        self.works = True

    def copy(self, text: str) -> None:
        if not self.works:
            raise self.PyperclipException("no copy mechanism")
        self.copied.append(text)


@pytest.fixture
def clipboard(monkeypatch: pytest.MonkeyPatch) -> Pyperclip:
    pyperclip = Pyperclip()
    monkeypatch.setitem(sys.modules, "pyperclip", pyperclip)
    return pyperclip


def osc_52(text: str) -> str:
    return f"\033]52;c;{base64.b64encode(text.encode()).decode()}\a"


def test_copying_uses_the_system_clipboard_on_a_local_machine(clipboard: Pyperclip) -> None:
    written: list[str] = []
    copy("Où?", written.append, {})
    assert (clipboard.copied, written) == (["Où?"], [])


def test_copying_uses_the_terminal_if_the_system_clipboard_fails(clipboard: Pyperclip) -> None:
    clipboard.works = False
    written: list[str] = []
    copy("Où?", written.append, {})
    assert written == [osc_52("Où?")]


def test_copying_uses_the_terminal_over_ssh(clipboard: Pyperclip) -> None:
    written: list[str] = []
    copy("late", written.append, {"SSH_CONNECTION": "1 2 3 4"})
    assert (clipboard.copied, written) == ([], [osc_52("late")])


def test_copying_uses_the_terminal_without_pyperclip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyperclip", None)
    written: list[str] = []
    copy("late", written.append, {})
    assert written == [osc_52("late")]


def test_text_too_long_for_a_terminal_is_not_written(clipboard: Pyperclip) -> None:
    clipboard.works = False
    written: list[str] = []
    copy("x" * (MAX_CLIPBOARD_BYTES + 1), written.append, {})
    assert written == []
