"""Location: how a path or a name finds a model folder.

None, "default"      the model that ships with tersely
runs/notes           a model folder, or a run
someone/notes        a model of the Hugging Face hub, if huggingface_hub is installed

A service resolves names below its models folder only: such a name is one path component, and
no name can lead outside of that folder.
"""

import os
import re
from importlib.resources import files
from pathlib import Path

from tersely.errors import TerselyError, UsageError
from tersely.model.folder import FILES

DEFAULT = "default"
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?", re.ASCII)
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE | re.ASCII)


def locate(path_or_name: str | os.PathLike[str] | None = None) -> Path:
    """Return the path of a model; a model of the hub is downloaded."""
    if path_or_name is None or path_or_name == DEFAULT:
        return default_model()
    path = Path(path_or_name)
    is_name = isinstance(path_or_name, str) and _HUB_NAME.fullmatch(path_or_name) is not None
    if path.exists() or not is_name or path.parent.is_dir():
        return path
    return _from_hub(str(path_or_name))


def default_model() -> Path:
    """Return the path of the model that ships with tersely."""
    return Path(str(files("tersely.model"))) / DEFAULT


def is_model_name(name: str) -> bool:
    """Return whether a string may name a model: letters, digits, and . _ - between them."""
    return _NAME.fullmatch(name) is not None and ".." not in name and not _DEVICE.fullmatch(name)


def resolve_model(name: str, models: Path) -> Path:
    """Return the folder of the model of this name, directly in `models`."""
    if not is_model_name(name):
        raise UsageError(
            f"{name!r:.80} is not a model name: letters and digits, with . _ - between them, "
            "64 at most."
        )
    root = models.resolve()
    folder = (root / name).resolve()  # follows links, so that none leads outside
    if folder.parent != root or not folder.is_dir():
        known = ", ".join(model_names(models)) or "none"
        raise UsageError(f"No model {name!r} in {models}; there: {known}.")
    return folder


def model_names(models: Path) -> list[str]:
    """Return the names of the models in a folder, sorted."""
    if not models.is_dir():
        return []
    return sorted(
        entry.name
        for entry in models.iterdir()
        if is_model_name(entry.name) and entry.is_dir() and not entry.is_symlink()
    )


def _from_hub(name: str) -> Path:
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise UsageError(
            f"{name}: no such folder. If it is a model of the Hugging Face hub: "
            "pip install huggingface_hub"
        ) from None
    try:
        return Path(snapshot_download(name, allow_patterns=list(FILES)))
    except Exception as error:  # the hub's client raises what its transport raises
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise TerselyError(f"{name}: download from the hub failed ({reason}).") from error
