import base64
import sys

import pytest

from tersely.cli.clipboard import MAX_BYTES, copy


class Pyperclip:
    """A stand-in: a clipboard that works or does not."""

    class PyperclipException(RuntimeError):  # noqa: N818
        pass

    def __init__(self, *, works: bool) -> None:
        self.held: list[str] = []
        self.works = works

    def copy(self, text: str) -> None:
        if not self.works:
            raise self.PyperclipException("no copy mechanism")
        self.held.append(text)


@pytest.fixture
def clipboard(monkeypatch: pytest.MonkeyPatch) -> Pyperclip:
    found = Pyperclip(works=True)
    monkeypatch.setitem(sys.modules, "pyperclip", found)
    return found


def sequence(text: str) -> str:
    return f"\033]52;c;{base64.b64encode(text.encode()).decode()}\a"


def test_the_systems_clipboard_is_used_where_one_sits(clipboard: Pyperclip) -> None:
    sent: list[str] = []
    copy("Où?", sent.append, {})
    assert (clipboard.held, sent) == (["Où?"], [])


def test_the_terminal_is_asked_where_there_is_none(clipboard: Pyperclip) -> None:
    clipboard.works, sent = False, []
    copy("Où?", sent.append, {})
    assert sent == [sequence("Où?")]


def test_over_ssh_the_terminal_is_asked(clipboard: Pyperclip) -> None:
    sent: list[str] = []
    copy("late", sent.append, {"SSH_CONNECTION": "1 2 3 4"})
    assert (clipboard.held, sent) == ([], [sequence("late")])


def test_without_pyperclip_the_terminal_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyperclip", None)
    sent: list[str] = []
    copy("late", sent.append, {})
    assert sent == [sequence("late")]


def test_what_no_terminal_takes_is_not_sent(clipboard: Pyperclip) -> None:
    clipboard.works, sent = False, []
    copy("x" * (MAX_BYTES + 1), sent.append, {})
    assert sent == []
