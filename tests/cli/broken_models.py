"""Broken model folders, for every command that takes a model."""

import shutil
from pathlib import Path

BROKEN_MODELS = (
    "missing",
    "empty folder",
    "a file",
    "empty config",
    "binary config",
    "empty weights",
    "binary weights",
    "cut vocabulary",
    "other settings",
    "other architecture",
)


def broken_model(kind: str, folder: Path, run: Path) -> Path:
    """Copy the model of a run and break it in one way."""
    model = folder / "broken"
    if kind == "missing":
        return model
    if kind == "a file":
        model.write_text("not a model")
        return model
    if kind == "empty folder":
        model.mkdir()
        return model
    shutil.copytree(run / "model", model)
    config, weights, vocabulary = (
        model / name for name in ("config.json", "model.safetensors", "vocab.txt")
    )
    if kind == "empty config":
        config.write_bytes(b"")
    elif kind == "binary config":
        config.write_bytes(bytes(range(256)))
    elif kind == "empty weights":
        weights.write_bytes(b"")
    elif kind == "binary weights":
        weights.write_bytes(bytes(range(256)) * 20)
    elif kind == "cut vocabulary":
        vocabulary.write_bytes(vocabulary.read_bytes()[:-3])
    elif kind == "other settings":
        config.write_text(config.read_text().replace('"decoder_input"', '"decoder_output"'))
    elif kind == "other architecture":
        config.write_text(config.read_text().replace('"paper"', '"transformer"'))
    return model
