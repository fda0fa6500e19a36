"""A path or a name finds a model; a fake module stands for the hub."""

import os
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tersely.errors import TerselyError, UsageError
from tersely.model import location
from tersely.model.folder import FILES
from tersely.model.location import (
    default_model,
    is_model_name,
    locate,
    model_names,
    resolve_model,
)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, list[str]]]:
    downloads: list[tuple[str, list[str]]] = []
    module = ModuleType("huggingface_hub")

    def snapshot_download(name: str, *, allow_patterns: list[str]) -> str:
        downloads.append((name, allow_patterns))
        if name == "someone/gone":
            raise OSError("404 Client Error\nand a long story")
        return str(tmp_path / "downloaded")

    module.snapshot_download = snapshot_download  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "huggingface_hub", module)
    monkeypatch.chdir(tmp_path)
    return downloads


def test_without_a_name_the_default_model_is_located() -> None:
    assert locate() == locate(None) == locate("default") == default_model()
    assert default_model().parent == Path(location.__file__).parent


def test_a_path_is_returned_unchanged(hub: list[tuple[str, list[str]]], tmp_path: Path) -> None:
    (tmp_path / "runs" / "notes").mkdir(parents=True)
    assert locate("runs/notes") == Path("runs/notes")
    assert locate("runs/misspelt") == Path("runs/misspelt")  # its folder is here: no hub name
    assert locate(tmp_path / "a" / "b" / "c") == tmp_path / "a" / "b" / "c"
    assert locate("notes") == Path("notes")
    assert hub == []


def test_of_a_model_of_the_hub_only_its_files_are_downloaded(
    hub: list[tuple[str, list[str]]], tmp_path: Path
) -> None:
    assert locate("someone/notes") == tmp_path / "downloaded"
    assert hub == [("someone/notes", list(FILES))]


def test_a_failed_download_is_reported_in_one_line(hub: object) -> None:
    with pytest.raises(TerselyError, match=r"someone/gone: .*404 Client Error\)\.$"):
        locate("someone/gone")


@pytest.mark.parametrize("name", ["a/b/c", "../x/y", "/no/such", "a b/c", "someone/", "/"])
def test_other_names_never_reach_the_hub(hub: list[tuple[str, list[str]]], name: str) -> None:
    assert locate(name) == Path(name)
    assert hub == []


def test_without_huggingface_hub_the_error_names_its_installation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="pip install huggingface_hub"):
        locate("someone/notes")


PARTS = [
    "..", ".", "/", "\\", "a", "model", "~", "\0", "%2e%2e", "%2f", " ", "\n", "C:", "con", "NUL",
    "é", "．．", "／", "\u202e", "-", "_", "secret", "etc", "passwd", "\r", ":", "*", "?", "|",
    "..a",
]  # fmt: skip


@pytest.fixture
def models(tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    for name in ("default", "reviews-2.1"):
        (folder / name).mkdir(parents=True)
    (tmp_path / "secret").mkdir()
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "file").write_text("no model")
    return folder


@pytest.mark.promise(2)
def test_no_name_leaves_the_models_folder(models: Path) -> None:
    rng = random.Random(1)
    accepted = 0
    for _ in range(10_000):
        name = "".join(rng.choices(PARTS, k=rng.randint(1, 6)))
        (models / "model").mkdir(exist_ok=True)
        try:
            folder = resolve_model(name, models)
        except UsageError:
            continue
        accepted += 1
        assert folder.parent == models.resolve()
        assert folder.name in {"model", "a"}
    assert accepted > 0


@pytest.mark.parametrize("name", ["default", "reviews-2.1"])
def test_a_model_is_found_by_its_name(models: Path, name: str) -> None:
    assert resolve_model(name, models) == models.resolve() / name


@pytest.mark.parametrize("name", ["link", "file", "missing"])
def test_links_files_and_missing_models_are_refused(models: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"there: default, reviews-2\.1"):
        resolve_model(name, models)


@pytest.mark.parametrize(
    "name", ["", "..", "a/b", "a..b", "a" * 65, "nul", "COM1.txt", ".a", "a.", "a\n"]
)
def test_invalid_names_are_refused(name: str) -> None:
    assert not is_model_name(name)


def test_models_are_listed_by_name(models: Path) -> None:
    assert model_names(models) == ["default", "reviews-2.1"]
    assert model_names(models / "nowhere") == []
    assert "link" in os.listdir(models)
