"""Catalogue: the models of a service, by name; loaded when first asked for.

The default model is loaded from the start. Of the others so many stay loaded as were used
last, so that a folder of models may be larger than the memory.
"""

from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from tersely.completion.completer import Completer
from tersely.errors import TerselyError, UsageError
from tersely.model.folder import CONFIG, FORMAT_VERSION
from tersely.model.location import DEFAULT, default_model, locate
from tersely.model.names import is_model_name, model_names, resolve_model
from tersely.model.validation import read_config
from tersely.web.errors import Refusal

MAX_LOADED = 4


@dataclass(frozen=True, slots=True)
class Listed:
    """A model as it is told of."""

    name: str
    architecture: str
    vocabulary: int
    default: bool


class Models(Protocol):
    """What answers come from."""

    default: str

    def check(self, name: str) -> None:
        """Refuse a name that no model has."""

    def listed(self) -> list[Listed]:
        """All of them."""

    def completer(self, name: str) -> Completer:
        """The model of that name, loaded. For one thread."""


class Catalogue:
    """A default model, which is the one that ships if none is named, and a folder of others."""

    def __init__(self, model: str | None, models: Path | None) -> None:
        if models is not None and not models.is_dir():
            raise UsageError(f"{models}: no such folder of models.")
        self._models = models
        own = model is not None or models is None or default_model().is_dir()
        self._path = locate(model) if own else None
        self.default = _name_of(self._path) if self._path is not None else self._first()
        self._loaded: OrderedDict[str, Completer] = OrderedDict()
        self.completer(self.default)

    def _first(self) -> str:
        names = self._names()
        if not names:
            raise UsageError(f"{self._models}: no models there. Put model folders in it.")
        return names[0]

    def _names(self) -> list[str]:
        return model_names(self._models) if self._models is not None else []

    def check(self, name: str) -> None:
        """Refuse a name that no model has."""
        if name != self.default and name not in self._names():
            known = ", ".join(dict.fromkeys([self.default, *self._names()]))
            raise Refusal(404, "unknown_model", f"There is no model of that name; known: {known}.")

    def listed(self) -> list[Listed]:
        """The default one first; a folder that is no model is left out."""
        found = []
        for name in dict.fromkeys([self.default, *self._names()]):
            try:
                folder = self._folder(name)
                inner = folder if (folder / CONFIG).is_file() else folder / "model"
                config = read_config(inner / CONFIG, version=FORMAT_VERSION)
            except TerselyError:
                continue
            size = int(config["vocabulary_size"])
            found.append(Listed(name, config["architecture"], size, name == self.default))
        return found

    def completer(self, name: str) -> Completer:
        """The model of that name, loaded. For one thread."""
        completer = self._loaded.get(name)
        if completer is None:
            completer = Completer.load(self._folder(name))
            self._loaded[name] = completer
        self._loaded.move_to_end(name)
        self._drop_oldest()
        return completer

    def _drop_oldest(self) -> None:
        for name in list(self._loaded):
            if len(self._loaded) <= MAX_LOADED:
                return
            if name != self.default:
                del self._loaded[name]

    def _folder(self, name: str) -> Path:
        if name == self.default and self._path is not None:
            return self._path
        return resolve_model(name, cast(Path, self._models))


def _name_of(path: Path) -> str:
    """A run or a model folder goes by its own name, if that is one."""
    absolute = path.absolute()
    name = absolute.parent.name if absolute.name == "model" else absolute.name
    return name if is_model_name(name) else DEFAULT
