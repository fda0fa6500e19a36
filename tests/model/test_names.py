import os
import random
from pathlib import Path

import pytest

from tersely.errors import UsageError
from tersely.model.names import is_model_name, model_names, resolve_model

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
def test_what_is_no_name_is_refused(name: str) -> None:
    assert not is_model_name(name)


def test_models_are_listed_by_name(models: Path) -> None:
    assert model_names(models) == ["default", "reviews-2.1"]
    assert model_names(models / "nowhere") == []
    assert "link" in os.listdir(models)
