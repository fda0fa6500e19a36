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
from tests.cli.broken_models import BROKEN_MODELS, broken_model
from tests.cli.invocation import invoke
from tests.service.processes import running


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(webbrowser, "open", lambda url: pytest.fail(f"opened {url}"))


def test_serve_answers_http_requests(trained: Path, tmp_path: Path) -> None:
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


def test_show_settings_prints_settings_and_sources_and_exits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "serve.toml"
    file.write_text("queue = 5\nbatch = 6\n")
    monkeypatch.setenv("TERSELY_BATCH", "7")
    arguments = ["serve", "--settings", str(file), "--port", "9000", "--show-settings"]
    assert main(arguments) == 0
    output = capsys.readouterr().out
    shown = tomllib.loads(output)
    assert (shown["queue"], shown["batch"], shown["port"]) == (5, 7, 9000)
    assert re.search(r"^port = 9000 +# flag$", output, re.MULTILINE)
    assert shown["memory"] == str(tmp_path / "data" / "tersely" / "memory.db")


def test_every_setting_has_an_option() -> None:
    options = vars(parser(["serve"]).parse_args(["serve"]))
    assert set(ServiceSettings.model_fields) <= set(options)


def test_defaults_in_the_help_are_those_of_the_settings(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["serve", "--help"])
    help_text = " ".join(capsys.readouterr().out.partition("options:")[2].split())
    settings = ServiceSettings.model_validate({})
    for name in ("port", "workers", "rate", "burst", "queue", "batch", "deadline", "cache"):
        default = f"(default {getattr(settings, name):g})"
        assert default in help_text.partition(f"--{name} ")[2][:200], name


@pytest.mark.parametrize("token", [None, "correct horse/battery"])
def test_a_browser_opens_unless_no_browser_is_given(
    token: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tersely.service.server as service_server

    opened: list[tuple[str, str | None]] = []
    served: list[Any] = []
    monkeypatch.setattr(serve, "_open", lambda url, token: opened.append((url, token)))
    monkeypatch.setattr(service_server, "serve", lambda *arguments: served.append(arguments))
    if token:
        monkeypatch.setenv("TERSELY_TOKEN", token)
    assert main(["serve", "--model", str(tmp_path), "--port", "0", "--no-browser"]) == 0
    assert opened == []
    assert main(["serve", "--model", str(tmp_path), "--port", "0"]) == 0
    ((url, url_token),) = opened
    assert url.startswith("http://127.0.0.1:")
    assert url_token == token
    assert len(served) == 2


def test_the_browser_address_contains_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
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
@pytest.mark.parametrize("kind", BROKEN_MODELS)
def test_a_broken_model_is_a_one_line_error(
    kind: str, tmp_path: Path, trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = broken_model(kind, tmp_path, trained)
    result = invoke(capsys, "serve", "--model", model, "--port", 0, "--no-browser")
    assert result.is_one_line_error()


@pytest.mark.promise(25)
@pytest.mark.parametrize(
    "arguments",
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
def test_a_bad_setting_is_a_one_line_error(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(capsys, "serve", "--no-browser", *arguments).is_one_line_error(2)


@pytest.mark.promise(25)
def test_a_port_in_use_is_a_one_line_error(
    trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        result = invoke(capsys, "serve", "--model", trained, "--port", port, "--no-browser")
    assert result.is_one_line_error(2)
    assert "the port is taken" in result.message


@pytest.mark.parametrize(
    "missing", ["fastapi", "uvicorn", "prometheus_client", "pydantic_settings", "cachetools"]
)
def test_a_missing_extra_is_an_error_that_names_the_install_command(
    missing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.split(".")[0] == missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    result = invoke(capsys, "serve", "--no-browser")
    assert result.is_one_line_error(2)
    assert 'pip install "tersely[serve]"' in result.message
