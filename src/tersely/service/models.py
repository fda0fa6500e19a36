"""Models: the models of a service by name, loaded when a request first uses them.

The default model is loaded at the start and stays loaded. Of the others the least recently
used are unloaded, so that a folder of models may be larger than the memory.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from cachetools import LRUCache

from tersely.completion.completer import Completer
from tersely.errors import TerselyError, UsageError
from tersely.model.folder import CONFIG, FORMAT_VERSION
from tersely.model.location import (
    DEFAULT,
    default_model,
    is_model_name,
    locate,
    model_names,
    resolve_model,
)
from tersely.model.validation import read_config
from tersely.web.errors import ApiError

MAX_LOADED = 3
"""Loaded models beside the default one."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """An entry in the list of models."""

    name: str
    architecture: str
    vocabulary_size: int
    is_default: bool


class Models(Protocol):
    """The models a service can use."""

    default: str

    def resolve(self, name: str | None) -> str:
        """Return the name of the model to use, the default's for None; 404 if it is unknown."""

    def list_models(self) -> list[ModelInfo]:
        """Return all models, the default one first."""

    def completer(self, name: str) -> Completer:
        """Return a model, loaded. Not thread-safe."""


class ModelRepository:
    """A default model, by default the one that ships, and a folder of others."""

    def __init__(self, model: str | None, models: Path | None) -> None:
        if models is not None and not models.is_dir():
            raise UsageError(f"{models}: no such folder of models.")
        self._folder = models
        has_default = model is not None or models is None or default_model().is_dir()
        self._default_path = locate(model) if has_default else None
        self.default = self._default_name()
        self._default_completer = Completer.load(self._path(self.default))
        self._loaded: LRUCache[str, Completer] = LRUCache(MAX_LOADED)

    def _default_name(self) -> str:
        if self._default_path is not None:
            return _name_of(self._default_path)
        names = self._names()
        if not names:
            raise UsageError(f"{self._folder}: no models there. Put model folders in it.")
        return names[0]

    def _names(self) -> list[str]:
        return model_names(self._folder) if self._folder is not None else []

    def resolve(self, name: str | None) -> str:
        """Return the name of the model to use, the default's for None; 404 if it is unknown."""
        if name is None or name == self.default:
            return self.default
        names = self._names()
        if name not in names:
            known = ", ".join(dict.fromkeys([self.default, *names]))
            raise ApiError(404, "unknown_model", f"There is no model of that name; known: {known}.")
        return name

    def list_models(self) -> list[ModelInfo]:
        """Return all models, the default one first; folders that hold no model are skipped."""
        models = []
        for name in dict.fromkeys([self.default, *self._names()]):
            try:
                folder = self._path(name)
                inner = folder if (folder / CONFIG).is_file() else folder / "model"
                config = read_config(inner / CONFIG, version=FORMAT_VERSION)
            except TerselyError:
                continue
            size = int(config["vocabulary_size"])
            models.append(ModelInfo(name, config["architecture"], size, name == self.default))
        return models

    def completer(self, name: str) -> Completer:
        """Return a model, loaded. Not thread-safe."""
        if name == self.default:
            return self._default_completer
        completer = self._loaded.get(name)
        if completer is None:
            completer = self._loaded[name] = Completer.load(self._path(name))
        return completer

    def _path(self, name: str) -> Path:
        if name == self.default and self._default_path is not None:
            return self._default_path
        return resolve_model(name, cast(Path, self._folder))


def _name_of(path: Path) -> str:
    """Return the name of a run or a model folder if it is a valid model name."""
    absolute = path.absolute()
    name = absolute.parent.name if absolute.name == "model" else absolute.name
    return name if is_model_name(name) else DEFAULT
