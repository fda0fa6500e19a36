"""Which browser the tests use, and what happens without one."""

from pathlib import Path

import pytest

from tests.browser import chromium


def test_the_browser_of_the_system_is_preferred(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/somewhere/{name}")
    assert chromium.find_chromium() == Path("/somewhere/chromium")


def test_the_browser_of_playwright_is_the_second_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr(chromium, "find_playwright_chromium", lambda: Path("/cache/chrome"))
    assert chromium.find_chromium() == Path("/cache/chrome")
    monkeypatch.setattr(chromium, "find_playwright_chromium", lambda: None)
    assert chromium.find_chromium() is None


def test_installation_tries_the_next_command_if_one_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    commands: list[str] = []

    def refuse(command: list[str], **_: object) -> None:
        commands.append(" ".join(command))
        raise OSError

    monkeypatch.setattr("subprocess.run", refuse)
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    chromium.install()
    assert len(commands) == 3
    assert commands[1] == "apt-get install --yes chromium"
    assert commands[2].endswith("-m playwright install chromium")
