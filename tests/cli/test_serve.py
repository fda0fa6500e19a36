import builtins
import re
import socket
import time
import tomllib
import webbrowser
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from tersely.cli import serve
from tersely.cli.main import main, parser
from tersely.service.settings import ServiceSettings
from tests.cli.broken import BROKEN, broken_model
from tests.cli.calling import call
from tests.service.processes import running


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(webbrowser, "open", lambda url: pytest.fail(f"opened {url}"))


def test_serve_answers_programs(trained: Path, tmp_path: Path) -> None:
    command = ["-m", "tersely", "serve", "--model", str(trained), "--port", "0", "--no-browser"]
    with running([*command, "--deadline", "60"], tmp_path) as service:
        body = {"keywords": "soup cold", "n": 3, "model": None}
        answer = httpx.post(f"{service.url}/v1/complete", json=body, timeout=90)
        assert len(answer.json()["suggestions"]) == 3
        assert service.stop() == 0
    log = service.log.read_text()
    assert '"route": "/v1/complete", "status": 200' in log
    assert "soup" not in log
    assert "Traceback" not in log


def test_settings_are_shown_and_nothing_is_served(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "serve.toml"
    file.write_text("queue = 5\nbatch = 6\n")
    monkeypatch.setenv("TERSELY_BATCH", "7")
    given = ["serve", "--settings", str(file), "--port", "9000", "--show-settings"]
    assert main(given) == 0
    said = capsys.readouterr().out
    shown = tomllib.loads(said)
    assert (shown["queue"], shown["batch"], shown["port"]) == (5, 7, 9000)
    assert re.search(r"^port = 9000 +# flag$", said, re.MULTILINE)
    assert shown["memory"] == str(tmp_path / "data" / "tersely" / "memory.db")


def test_every_setting_has_its_flag() -> None:
    given = vars(parser(["serve"]).parse_args(["serve"]))
    assert set(ServiceSettings.model_fields) <= set(given)


def test_defaults_in_the_help_are_the_settings_own(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["serve", "--help"])
    said = " ".join(capsys.readouterr().out.partition("options:")[2].split())
    settings = ServiceSettings()
    for name in ("port", "workers", "rate", "burst", "queue", "batch", "deadline", "cache"):
        assert f"({getattr(settings, name):g})" in said.partition(f"--{name} ")[2][:200], name


@pytest.mark.parametrize("token", [None, "correct horse/battery"])
def test_a_browser_is_opened_unless_told_not_to(
    token: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tersely.service.running as service_running

    opened: list[str] = []
    served: list[Any] = []
    monkeypatch.setattr(serve, "_open", lambda *given: opened.append(given))
    monkeypatch.setattr(service_running, "serve", lambda *given: served.append(given))
    if token:
        monkeypatch.setenv("TERSELY_TOKEN", token)
    assert main(["serve", "--model", str(tmp_path), "--port", "0", "--no-browser"]) == 0
    assert opened == []
    assert main(["serve", "--model", str(tmp_path), "--port", "0"]) == 0
    ((url, shown),) = opened
    assert url.startswith("http://127.0.0.1:")
    assert shown == token
    assert len(served) == 2


def test_a_browser_is_let_in_by_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    serve._open("http://127.0.0.1:1/", "correct horse/battery")
    serve._open("http://127.0.0.1:1/", None)
    while len(opened) < 2:  # in a thread of its own; the test's time limit ends the wait
        time.sleep(0.01)
    assert sorted(opened) == [
        "http://127.0.0.1:1/",
        "http://127.0.0.1:1/?token=correct%20horse%2Fbattery",
    ]


@pytest.mark.promise(25)
@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_model_is_one_clear_line(kind: str, tmp_path: Path, trained: Path, capsys) -> None:
    model = broken_model(kind, tmp_path, trained)
    called = call(capsys, "serve", "--model", model, "--port", 0, "--no-browser")
    assert called.failed_plainly()


@pytest.mark.promise(25)
@pytest.mark.parametrize(
    "given",
    [
        ["--model", "nowhere"],
        ["--models", "nowhere"],
        ["--host", "0.0.0.0"],
        ["--host", "no such host", "--open-to-all"],
        ["--port", "70000"],
        ["--workers", "0"],
        ["--token", "short"],
        ["--settings", "nowhere.toml"],
        ["--allow-origin", "friend.example"],
    ],
)
def test_what_cannot_be_is_one_clear_line(given: list[str], capsys) -> None:
    assert call(capsys, "serve", "--no-browser", *given).failed_plainly(2)


@pytest.mark.promise(25)
def test_a_port_that_is_taken_is_one_clear_line(trained: Path, capsys) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        called = call(capsys, "serve", "--model", trained, "--port", port, "--no-browser")
    assert called.failed_plainly(2)
    assert "the port is taken" in called.complaint


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn", "prometheus_client"])
def test_without_the_extra_it_is_said_how_to_get_it(
    missing: str, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    real = builtins.__import__

    def without(name: str, *given: Any, **named: Any) -> Any:
        if name.split(".")[0] == missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *given, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    called = call(capsys, "serve", "--no-browser")
    assert called.failed_plainly(2)
    assert 'pip install "tersely[serve]"' in called.complaint
