"""Model names: how a name given by a stranger finds a model, and nothing else.

A name is one path component below the models folder. It can neither climb out
nor point elsewhere, whatever is in it.
"""

import re
from pathlib import Path

from tersely.errors import UsageError

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?", re.ASCII)
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE | re.ASCII)


def is_model_name(name: str) -> bool:
    """Tell whether a string may name a model: letters, digits, and . _ - between them."""
    return _NAME.fullmatch(name) is not None and ".." not in name and not _DEVICE.fullmatch(name)


def resolve_model(name: str, models: Path) -> Path:
    """Return the folder of the model of that name; it lies directly in `models`."""
    if not is_model_name(name):
        raise UsageError(
            f"{name!r:.80} is no model name: letters and digits, with . _ - between them, "
            "64 at most."
        )
    root = models.resolve()
    folder = (root / name).resolve()  # follows links, so that none leads outside
    if folder.parent != root or not folder.is_dir():
        known = ", ".join(model_names(models)) or "none"
        raise UsageError(f"No model {name!r} in {models}; there: {known}.")
    return folder


def model_names(models: Path) -> list[str]:
    """List the models of a folder by name."""
    if not models.is_dir():
        return []
    return sorted(
        entry.name
        for entry in models.iterdir()
        if is_model_name(entry.name) and entry.is_dir() and not entry.is_symlink()
    )
