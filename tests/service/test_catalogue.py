import shutil
from pathlib import Path

import pytest

from tersely.errors import TerselyError, UsageError
from tersely.model import location as locating
from tersely.service import catalogue
from tersely.service.catalogue import Catalogue
from tersely.web.errors import Refusal


@pytest.fixture
def models(trained: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    for name in ("first", "second", "third"):
        shutil.copytree(trained / "model", folder / name)
    (folder / "no model").mkdir()
    (folder / "empty").mkdir()
    return folder


def test_a_run_goes_by_its_name(trained: Path) -> None:
    own = Catalogue(str(trained), None)
    assert own.default == "run"
    assert [(one.name, one.default) for one in own.listed()] == [("run", True)]
    assert Catalogue(str(trained / "model"), None).default == "run"


def test_models_of_a_folder_are_had_by_name(trained: Path, models: Path) -> None:
    own = Catalogue(str(trained), models)
    assert [one.name for one in own.listed()] == ["run", "first", "second", "third"]
    assert own.completer("second").complete("soup")
    assert own.completer("second") is own.completer("second")


def test_without_a_default_the_first_of_the_folder_is_it(
    models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(models / "empty")
    monkeypatch.setattr(catalogue, "default_model", lambda: models / "not shipped")
    assert Catalogue(None, models).default == "first"


def test_only_so_many_stay_loaded_and_the_default_always(
    trained: Path, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "MAX_LOADED", 2)
    own = Catalogue(str(trained), models)
    default, first = own.completer("run"), own.completer("first")
    own.completer("second")
    assert own.completer("run") is default
    assert own.completer("first") is not first


@pytest.mark.parametrize("name", ["nowhere", "../run", "", ".", "no model", "run/model"])
def test_a_name_that_is_none_is_refused(trained: Path, models: Path, name: str) -> None:
    own = Catalogue(str(trained), models)
    with pytest.raises(Refusal, match="known: run, empty, first") as refused:
        own.check(name)
    assert refused.value.status == 404
    own.check("first")


def test_without_any_name_it_is_the_model_that_ships(
    trained: Path, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for own in (catalogue, locating):
        monkeypatch.setattr(own, "default_model", lambda: trained / "model")
    assert Catalogue(None, None).completer("run").complete("soup")
    assert Catalogue(None, models).default == "run"


def test_a_service_needs_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for own in (catalogue, locating):
        monkeypatch.setattr(own, "default_model", lambda: tmp_path / "not shipped")
    with pytest.raises(UsageError, match="no such model folder"):
        Catalogue(None, None)
    with pytest.raises(UsageError, match="no such folder of models"):
        Catalogue(None, tmp_path / "nowhere")
    with pytest.raises(UsageError, match="no models there"):
        Catalogue(None, tmp_path)
    with pytest.raises(TerselyError, match="no such model folder"):
        Catalogue(str(tmp_path / "nowhere"), None)
