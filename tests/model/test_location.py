"""Finding a model by path or by name; the hub is played by a module of our own."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from tersely.errors import TerselyError, UsageError
from tersely.model import location as locating
from tersely.model.folder import FILES
from tersely.model.location import default_model, locate


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, list[str]]]:
    asked: list[tuple[str, list[str]]] = []
    module = ModuleType("huggingface_hub")

    def snapshot_download(name: str, *, allow_patterns: list[str]) -> str:
        asked.append((name, allow_patterns))
        if name == "someone/gone":
            raise OSError("404 Client Error\nand a long story")
        return str(tmp_path / "downloaded")

    module.snapshot_download = snapshot_download  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "huggingface_hub", module)
    monkeypatch.chdir(tmp_path)
    return asked


def test_without_a_name_the_model_that_ships_is_meant() -> None:
    assert locate() == locate(None) == locate("default") == default_model()
    assert default_model().parent == Path(locating.__file__).parent


def test_a_path_is_itself(hub: list[tuple[str, list[str]]], tmp_path: Path) -> None:
    (tmp_path / "runs" / "notes").mkdir(parents=True)
    assert locate("runs/notes") == Path("runs/notes")
    assert locate("runs/misspelt") == Path("runs/misspelt")  # its folder is here: no hub name
    assert locate(tmp_path / "a" / "b" / "c") == tmp_path / "a" / "b" / "c"
    assert locate("notes") == Path("notes")
    assert hub == []


def test_a_name_of_the_hub_is_downloaded_and_only_what_a_model_holds(
    hub: list[tuple[str, list[str]]], tmp_path: Path
) -> None:
    assert locate("someone/notes") == tmp_path / "downloaded"
    assert hub == [("someone/notes", list(FILES))]


def test_what_the_hub_does_not_have_is_told_in_one_line(hub: object) -> None:
    with pytest.raises(TerselyError, match=r"someone/gone: .*404 Client Error\)\.$"):
        locate("someone/gone")


@pytest.mark.parametrize("name", ["a/b/c", "../x/y", "/no/such", "a b/c", "someone/", "/"])
def test_what_is_no_hub_name_never_reaches_the_hub(
    hub: list[tuple[str, list[str]]], name: str
) -> None:
    assert locate(name) == Path(name)
    assert hub == []


def test_without_the_hubs_client_its_installation_is_advised(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="pip install huggingface_hub"):
        locate("someone/notes")
