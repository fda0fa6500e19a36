import tomllib
from pathlib import Path

import pytest

from tersely.errors import UsageError
from tersely.service.layers import default_file, gather


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "serve.toml"
    path.write_text('port = 1001\nworkers = 2\nbatch = 3\nallow_host = ["a.example"]\n')
    return path


def nowhere(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CONFIG_HOME": str(tmp_path / "nowhere")}


def test_a_flag_beats_a_variable_and_that_the_file(file: Path) -> None:
    environment = {"TERSELY_PORT": "1002", "TERSELY_WORKERS": "4"}
    found = gather({"port": 1003, "host": None}, file=file, environment=environment)
    settings = found.settings
    assert (settings.port, settings.workers, settings.batch) == (1003, 4, 3)
    assert found.sources == {
        "port": "flag",
        "workers": "environment",
        "batch": str(file),
        "allow_host": str(file),
    }


def test_flags_that_were_not_given_beat_nothing(file: Path) -> None:
    flags = {"port": None, "open_to_all": False, "allow_host": []}
    found = gather(flags, file=file, environment={"TERSELY_OPEN_TO_ALL": "true"})
    assert found.settings.open_to_all
    assert found.settings.port == 1001
    assert found.settings.allow_host == ("a.example",)


def test_a_number_of_zero_is_a_number_given(file: Path) -> None:
    found = gather({"port": 0, "rate": 0.0}, file=file, environment={})
    assert (found.settings.port, found.settings.rate) == (0, 0.0)


def test_the_file_may_be_named_by_a_variable_or_lie_at_its_place(
    file: Path, tmp_path: Path
) -> None:
    assert gather({}, file=None, environment={"TERSELY_SETTINGS": str(file)}).settings.port == 1001
    place = tmp_path / "config"
    environment = {"XDG_CONFIG_HOME": str(place)}
    default_file(environment).parent.mkdir(parents=True)
    default_file(environment).write_text("port = 77\n")
    assert gather({}, file=None, environment=environment).settings.port == 77


def test_lists_in_variables_are_written_with_commas(tmp_path: Path) -> None:
    environment = {"TERSELY_ALLOW_HOST": "a.example, b.example", **nowhere(tmp_path)}
    found = gather({}, file=None, environment=environment)
    assert found.settings.allow_host == ("a.example", "b.example")


@pytest.mark.promise(25)
@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("prot = 1", 'unknown key "prot". Did you mean "port"?'),
        ("port = 'x'", "port: "),
        ("port = ", "not proper TOML"),
        ("\udcff", "not proper TOML"),
        ("[port]\nx = 1", "port: "),
    ],
)
def test_a_wrong_file_is_told_by_its_name(tmp_path: Path, content: str, complaint: str) -> None:
    path = tmp_path / "serve.toml"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(UsageError) as error:
        gather({}, file=path, environment={})
    assert str(path) in str(error.value)
    assert complaint in str(error.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        gather({}, file=tmp_path / "nowhere.toml", environment={})


def test_who_is_wrong_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^--port: .*65535"):
        gather({"port": 70000}, file=None, environment=nowhere(tmp_path))
    with pytest.raises(UsageError, match=r"^TERSELY_PORT: "):
        gather({}, file=None, environment={"TERSELY_PORT": "x", **nowhere(tmp_path)})
    with pytest.raises(UsageError, match=r"^0\.0\.0\.0 can be reached by others"):
        gather({"host": "0.0.0.0"}, file=None, environment=nowhere(tmp_path))


def test_a_token_is_in_no_complaint(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        gather({"token": "geheim"}, file=None, environment=nowhere(tmp_path))
    assert "geheim" not in str(error.value)
    assert str(error.value).startswith("--token: ")


def test_settings_are_shown_as_toml_with_their_source(file: Path) -> None:
    environment = {"TERSELY_TOKEN": "correct horse battery"}
    found = gather({"model": 'a "b"'}, file=file, environment=environment)
    lines = found.lines()
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
