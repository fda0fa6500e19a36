import tomllib
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tersely.errors import UsageError
from tersely.service.settings import (
    ServiceSettings,
    default_file,
    default_memory,
    load_settings,
)

TOKEN = "correct horse battery"
ALLOWED = ("https://friend.example",)


@pytest.fixture(autouse=True)
def _empty_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No variables and no default file, whatever this computer has."""
    for name in ServiceSettings.model_fields:
        monkeypatch.delenv(f"TERSELY_{name.upper()}", raising=False)
    monkeypatch.delenv("TERSELY_SETTINGS", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nowhere"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "serve.toml"
    path.write_text('port = 1001\nworkers = 2\nbatch = 3\nallow_host = ["a.example"]\n')
    return path


def test_the_default_address_is_private() -> None:
    settings = ServiceSettings()
    assert settings.host == "127.0.0.1"
    assert settings.is_private
    assert settings.site.is_own_host("127.0.0.1:8765")
    assert not settings.site.is_own_host("192.168.1.2:8765")
    assert not settings.site.is_own_host("evil.example")


@pytest.mark.parametrize(
    "settings", [{}, {"token": TOKEN}, {"allow_origin": ALLOWED}, {"trust_proxy": ("127.0.0.1",)}]
)
def test_a_public_address_needs_token_and_origins(settings: dict[str, Any]) -> None:
    for host in ("0.0.0.0", "::", "192.168.1.2", "tersely.example", ""):
        with pytest.raises(ValidationError, match="can be reached by others"):
            ServiceSettings(host=host, **settings)


@pytest.mark.parametrize(
    "settings", [{"token": TOKEN, "allow_origin": ALLOWED}, {"open_to_all": True}]
)
def test_a_public_address_with_them_or_open_to_all_is_accepted(settings: dict[str, Any]) -> None:
    public = ServiceSettings(host="0.0.0.0", **settings)
    assert not public.is_private
    assert public.site.is_own_host("192.168.1.2:8765")


@pytest.mark.parametrize(
    "settings",
    [
        {"token": "short"},
        {"allow_origin": ["friend.example"]},
        {"allow_origin": ["https://friend.example/"]},
        {"allow_origin": ["*"]},
        {"allow_origin": ["null"]},
        {"trust_proxy": ["proxy.example"]},
        {"port": 65536},
        {"port": -1},
        {"workers": 0},
        {"deadline": 0},
        {"queue": 0},
        {"rate": -1},
        {"log_level": "loud"},
        {"unknown": 1},
    ],
)
def test_invalid_settings_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ServiceSettings(**settings)


def test_the_token_is_not_in_the_repr() -> None:
    assert TOKEN not in repr(ServiceSettings(token=TOKEN))  # type: ignore[arg-type]


def test_settings_without_load_settings_ignore_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERSELY_PORT", "1002")
    assert ServiceSettings().port == 8765


def test_the_default_memory_is_in_the_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert default_memory() == Path("/data/tersely/memory.db")
    monkeypatch.delenv("XDG_DATA_HOME")
    assert default_memory() == Path.home() / ".local/share/tersely/memory.db"


def test_a_flag_overrides_a_variable_and_that_the_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERSELY_PORT", "1002")
    monkeypatch.setenv("TERSELY_WORKERS", "4")
    loaded = load_settings({"port": 1003, "host": None}, file=file)
    settings = loaded.settings
    assert (settings.port, settings.workers, settings.batch) == (1003, 4, 3)
    assert loaded.sources == {
        "port": "flag",
        "workers": "environment",
        "batch": str(file),
        "allow_host": str(file),
    }


def test_flags_that_were_not_given_override_nothing(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERSELY_OPEN_TO_ALL", "true")
    flags: dict[str, Any] = {"port": None, "open_to_all": False, "allow_host": []}
    settings = load_settings(flags, file=file).settings
    assert settings.open_to_all
    assert settings.port == 1001
    assert settings.allow_host == ("a.example",)


def test_a_flag_of_zero_is_a_flag_that_was_given(file: Path) -> None:
    settings = load_settings({"port": 0, "rate": 0.0}, file=file).settings
    assert (settings.port, settings.rate) == (0, 0.0)


def test_an_empty_variable_is_not_set(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERSELY_PORT", "")
    assert load_settings({}, file=file).settings.port == 1001


def test_the_file_is_named_by_a_variable_or_is_the_default_one(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERSELY_SETTINGS", str(file))
    assert load_settings({}).settings.port == 1001
    monkeypatch.delenv("TERSELY_SETTINGS")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    default_file().parent.mkdir(parents=True)
    default_file().write_text("port = 77\n")
    assert load_settings({}).settings.port == 77


def test_lists_in_variables_are_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERSELY_ALLOW_HOST", "a.example, b.example")
    assert load_settings({}).settings.allow_host == ("a.example", "b.example")


@pytest.mark.promise(25)
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("prot = 1", 'unknown key "prot". Did you mean "port"?'),
        ("port = 'x'", "port: "),
        ("port = ", "not valid TOML"),
        ("\udcff", "not valid TOML"),
        ("[port]\nx = 1", "port: "),
        ('allow_host = "a.example"', "allow_host: "),
    ],
)
def test_an_error_in_the_file_names_the_file_and_the_key(
    tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "serve.toml"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(UsageError) as error:
        load_settings({}, file=path)
    assert str(path) in str(error.value)
    assert message in str(error.value)


def test_a_file_that_is_named_must_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        load_settings({}, file=tmp_path / "nowhere.toml")
    with pytest.raises(UsageError, match="cannot be read"):
        load_settings({}, file=tmp_path)
    monkeypatch.setenv("TERSELY_SETTINGS", str(default_file()))
    with pytest.raises(UsageError, match="cannot be read"):
        load_settings({})


def test_an_error_names_the_setting_as_its_source_spells_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(UsageError, match=r"^--port: .*65535"):
        load_settings({"port": 70000})
    with pytest.raises(UsageError, match=r"^0\.0\.0\.0 can be reached by others"):
        load_settings({"host": "0.0.0.0"})
    monkeypatch.setenv("TERSELY_PORT", "x")
    with pytest.raises(UsageError, match=r"^TERSELY_PORT: "):
        load_settings({})


def test_an_error_does_not_show_the_token() -> None:
    with pytest.raises(UsageError) as error:
        load_settings({"token": "geheim"})
    assert "geheim" not in str(error.value)
    assert str(error.value).startswith("--token: ")


def test_settings_are_shown_as_toml_with_their_source(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERSELY_TOKEN", TOKEN)
    lines = load_settings({"model": 'a "b"'}, file=file).toml_lines()
    shown = tomllib.loads("\n".join(lines))
    assert shown["port"] == 1001
    assert shown["model"] == 'a "b"'
    assert shown["allow_host"] == ["a.example"]
    assert shown["open_to_all"] is False
    assert "models" not in shown
    assert shown["token"] == "…"
    assert next(line for line in lines if line.startswith("port")).endswith(f"# {file}")
    assert next(line for line in lines if line.startswith("token")).endswith("# environment")
    assert next(line for line in lines if line.startswith("queue")).endswith("# default")
