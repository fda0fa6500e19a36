import shutil
from pathlib import Path

import pytest

from tersely.errors import TerselyError, UsageError
from tersely.model import location
from tersely.service import models as service_models
from tersely.service.models import ModelRepository
from tersely.web.errors import ApiError


@pytest.fixture
def models(trained: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    for name in ("first", "second", "third"):
        shutil.copytree(trained / "model", folder / name)
    (folder / "no model").mkdir()
    (folder / "empty").mkdir()
    return folder


def test_a_model_in_a_run_has_the_name_of_the_run(trained: Path) -> None:
    repository = ModelRepository(str(trained), None)
    assert repository.default == "run"
    assert [(info.name, info.is_default) for info in repository.list_models()] == [("run", True)]
    assert ModelRepository(str(trained / "model"), None).default == "run"


def test_models_of_a_folder_are_loaded_by_name(trained: Path, models: Path) -> None:
    repository = ModelRepository(str(trained), models)
    assert [info.name for info in repository.list_models()] == ["run", "first", "second", "third"]
    assert repository.completer("second").complete("soup")
    assert repository.completer("second") is repository.completer("second")


def test_without_a_default_the_first_model_of_the_folder_is_the_default(
    models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(models / "empty")
    monkeypatch.setattr(service_models, "default_model", lambda: models / "not shipped")
    assert ModelRepository(None, models).default == "first"


def test_the_least_recently_used_model_is_unloaded_but_never_the_default(
    trained: Path, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_models, "MAX_LOADED", 1)
    repository = ModelRepository(str(trained), models)
    default, first = repository.completer("run"), repository.completer("first")
    repository.completer("second")
    assert repository.completer("run") is default
    assert repository.completer("first") is not first


def test_an_unknown_name_is_refused_with_the_known_ones(trained: Path, models: Path) -> None:
    repository = ModelRepository(str(trained), models)
    for name in ("nowhere", "../run", "", ".", "no model", "run/model"):
        with pytest.raises(ApiError, match="known: run, empty, first") as error:
            repository.resolve(name)
        assert error.value.status == 404
    assert repository.resolve("first") == "first"
    assert repository.resolve("run") == repository.resolve(None) == "run"


def test_without_settings_the_default_is_the_model_that_ships(
    trained: Path, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (service_models, location):
        monkeypatch.setattr(module, "default_model", lambda: trained / "model")
    assert ModelRepository(None, None).completer("run").complete("soup")
    assert ModelRepository(None, models).default == "run"


def test_a_service_needs_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (service_models, location):
        monkeypatch.setattr(module, "default_model", lambda: tmp_path / "not shipped")
    with pytest.raises(UsageError, match="no such model folder"):
        ModelRepository(None, None)
    with pytest.raises(UsageError, match="no such folder of models"):
        ModelRepository(None, tmp_path / "nowhere")
    with pytest.raises(UsageError, match="no models there"):
        ModelRepository(None, tmp_path)
    with pytest.raises(TerselyError, match="no such model folder"):
        ModelRepository(str(tmp_path / "nowhere"), None)
