"""A model folder: what a trained scheme is on disk.

    config.json          format version, architecture, settings, and what tensors there are
    model.safetensors    the weights
    vocab.txt            one token a line
    README.md            the model card

A folder comes from anyone, so nothing in it is trusted: there is no pickle, sizes
are bounded before anything is read, and names, shapes, dtypes and numbers are
checked before anything is used. Weights may be compact on disk; loaded, they are
float32 (compact.py). What the tensors mean is the runtime's business.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from tersely.errors import TerselyError, UsageError
from tersely.model.quantization import expand, expanded_manifest
from tersely.model.validation import (
    DTYPES,
    TensorSpec,
    check_finite,
    check_manifest,
    read_config,
    read_regular_file,
    read_tensor_header,
)
from tersely.storage.atomic import new_folder
from tersely.text.vocabulary import Vocabulary

FORMAT_VERSION = 1
CONFIG, WEIGHTS, VOCABULARY, CARD = "config.json", "model.safetensors", "vocab.txt", "README.md"
FILES = (CONFIG, WEIGHTS, VOCABULARY, CARD)

Tensors = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A model's settings, weights and vocabulary, checked."""

    architecture: str
    settings: dict[str, Any]
    tensors: Tensors = field(repr=False)
    vocabulary: Vocabulary = field(repr=False)
    card: str = field(default="", repr=False)

    @classmethod
    def from_pretrained(
        cls, path: str | os.PathLike[str], *, expected: Mapping[str, TensorSpec] | None = None
    ) -> Self:
        """Load a model folder, or the `model/` of a run.

        `expected` names the tensors an architecture needs, with shape and dtype once loaded;
        without it the folder must only agree with its own config.
        """
        folder = _find(Path(path))
        config = read_config(folder / CONFIG, version=FORMAT_VERSION)
        manifest = check_manifest(folder / CONFIG, config["tensors"])
        loaded = expanded_manifest(folder / CONFIG, manifest)
        if expected is not None and loaded != dict(expected):
            raise TerselyError(_difference(folder, loaded, expected))
        read_tensor_header(folder / WEIGHTS, manifest)
        vocabulary = _vocabulary(folder, size=config["vocabulary_size"])
        card = read_regular_file(folder / CARD, limit=1 << 20).decode("utf-8", "replace")
        tensors = expand(_weights(folder / WEIGHTS))
        check_finite(folder / WEIGHTS, tensors)
        return cls(config["architecture"], config["settings"], tensors, vocabulary, card)

    def save_pretrained(self, path: str | os.PathLike[str]) -> None:
        """Write the folder whole or not at all; an older one of that name is replaced."""
        from safetensors.numpy import save

        target = Path(path)
        if target.exists() and not _replaceable(target):
            raise UsageError(
                f"{target}: exists and holds more than a model; give an empty or new folder."
            )
        config = json.dumps(self._config(), indent=2, ensure_ascii=False) + "\n"
        with new_folder(target) as partial:
            (partial / CONFIG).write_text(config, encoding="utf-8")
            (partial / WEIGHTS).write_bytes(save(self._contiguous()))
            (partial / CARD).write_text(self.card, encoding="utf-8")
            self.vocabulary.save(partial / VOCABULARY)

    def _config(self) -> dict[str, Any]:
        return {
            "format_version": FORMAT_VERSION,
            "architecture": self.architecture,
            "settings": self.settings,
            "vocabulary_size": len(self.vocabulary),
            "tensors": {
                name: {"shape": list(array.shape), "dtype": _dtype_name(name, array)}
                for name, array in sorted(self.tensors.items())
            },
        }

    def _contiguous(self) -> Tensors:
        return {name: np.ascontiguousarray(array) for name, array in self.tensors.items()}


def _find(path: Path) -> Path:
    """Accept a model folder, or a run that has one in `model/`."""
    is_run = not (path / WEIGHTS).exists() and (path / "model").is_dir()
    folder = path / "model" if is_run else path
    if not folder.is_dir():
        raise UsageError(f"{path}: no such model folder.")
    missing = [name for name in FILES if not (folder / name).exists()]
    if missing:
        raise UsageError(
            f"{folder}: not a model folder, {', '.join(missing)} missing. "
            f"A model folder holds {', '.join(FILES)}."
        )
    return folder


def _vocabulary(folder: Path, *, size: int) -> Vocabulary:
    read_regular_file(folder / VOCABULARY, limit=1 << 24)
    vocabulary = Vocabulary.load(folder / VOCABULARY)
    if len(vocabulary) != size:
        raise TerselyError(
            f"{folder / VOCABULARY}: {len(vocabulary)} tokens, but config.json says {size}."
        )
    return vocabulary


def _weights(path: Path) -> Tensors:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return load_file(path)
    except (SafetensorError, OSError, ValueError, TypeError, KeyError) as error:
        raise TerselyError(f"{path}: not a whole safetensors file ({error}).") from error


def _dtype_name(name: str, array: npt.NDArray[Any]) -> str:
    for label, dtype in DTYPES.items():
        if array.dtype == dtype:
            return label
    raise TerselyError(f"Tensor {name} is {array.dtype}; a model folder takes {', '.join(DTYPES)}.")


def _difference(
    folder: Path, manifest: Mapping[str, TensorSpec], expected: Mapping[str, TensorSpec]
) -> str:
    for name in sorted(set(manifest) | set(expected)):
        have, want = manifest.get(name), expected.get(name)
        if have != want:
            return f"{folder}: tensor {name} is {have or 'missing'}, expected {want or 'none'}."
    raise AssertionError("called for equal manifests")


def _replaceable(target: Path) -> bool:
    return target.is_dir() and all(entry.name in FILES for entry in target.iterdir())
