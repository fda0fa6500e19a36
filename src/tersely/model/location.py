"""Locating: where the model lies that someone names.

None, "default"      the model that ships
runs/notes           a model folder, or a run
someone/notes        a model of the Hugging Face hub, where huggingface_hub is installed
"""

import os
import re
from importlib.resources import files
from pathlib import Path

from tersely.errors import TerselyError, UsageError
from tersely.model.folder import FILES

DEFAULT = "default"
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)


def locate(path_or_name: str | os.PathLike[str] | None = None) -> Path:
    """Find the folder; download it where it is a name of the hub."""
    if path_or_name is None or path_or_name == DEFAULT:
        return default_model()
    path = Path(path_or_name)
    is_name = isinstance(path_or_name, str) and _HUB_NAME.fullmatch(path_or_name) is not None
    if path.exists() or not is_name or path.parent.is_dir():
        return path
    return _from_hub(str(path_or_name))


def default_model() -> Path:
    """Where the model that ships lies."""
    return Path(str(files("tersely.model"))) / DEFAULT


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
        first = (str(error) or type(error).__name__).splitlines()[0]
        raise TerselyError(f"{name}: could not be had from the hub ({first}).") from error
