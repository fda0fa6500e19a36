"""Which browser the tests take, and what happens where there is none."""

from pathlib import Path

import pytest

from tests.browser import chromium


def test_the_systems_own_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chromium.shutil, "which", lambda name: f"/somewhere/{name}")
    assert chromium.find_chromium() == Path("/somewhere/chromium")


def test_playwrights_own_is_next_and_none_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chromium.shutil, "which", lambda name: None)
    monkeypatch.setattr(chromium, "playwrights_own", lambda: Path("/cache/chrome"))
    assert chromium.find_chromium() == Path("/cache/chrome")
    monkeypatch.setattr(chromium, "playwrights_own", lambda: None)
    assert chromium.find_chromium() is None


def test_installing_goes_on_to_the_next_way_where_one_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[str] = []

    def refuse(way: list[str], **_: object) -> None:
        tried.append(" ".join(way))
        raise OSError

    monkeypatch.setattr(chromium.subprocess, "run", refuse)
    monkeypatch.setattr(chromium.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(chromium.os, "geteuid", lambda: 0)
    chromium.install()
    assert len(tried) == 3
    assert tried[1] == "apt-get install --yes chromium"
    assert tried[2].endswith("-m playwright install chromium")
