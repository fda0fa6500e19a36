"""Model folder: a trained scheme on disk.

    config.json          format version, architecture, settings, manifest of the tensors
    model.safetensors    weights
    vocab.txt            one token per line
    README.md            model card

A folder may come from anyone, so it is not trusted: it holds no pickle, sizes are bounded before
anything is read, and names, shapes, dtypes and values are checked before anything is used.
Quantised weights stay quantised in memory (quantization.py).
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
from tersely.model.quantization import (
    Arrays,
    Tensor,
    check_finite,
    from_stored,
    loaded_manifest,
    to_stored,
)
from tersely.model.validation import (
    DTYPES,
    TensorSpec,
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
MAX_CARD_BYTES = 1 << 20
MAX_VOCABULARY_BYTES = 1 << 24


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """The settings, weights and vocabulary of a model, validated."""

    architecture: str
    settings: dict[str, Any]
    tensors: Mapping[str, Tensor] = field(repr=False)
    vocabulary: Vocabulary = field(repr=False)
    card: str = field(default="", repr=False)

    @classmethod
    def from_pretrained(
        cls, path: str | os.PathLike[str], *, expected: Mapping[str, TensorSpec] | None = None
    ) -> Self:
        """Load a model folder, or the `model/` of a run.

        `expected` are the tensors an architecture needs, with their shapes and dtypes once
        dequantised. Without it the weights are only checked against config.json.
        """
        folder = _find(Path(path))
        config = read_config(folder / CONFIG, version=FORMAT_VERSION)
        manifest = check_manifest(folder / CONFIG, config["tensors"])
        specs = loaded_manifest(folder / CONFIG, manifest)
        if expected is not None and specs != dict(expected):
            raise TerselyError(_difference(folder, specs, expected))
        read_tensor_header(folder / WEIGHTS, manifest)
        vocabulary = _read_vocabulary(folder, size=config["vocabulary_size"])
        card = read_regular_file(folder / CARD, limit=MAX_CARD_BYTES).decode("utf-8", "replace")
        tensors = from_stored(_read_weights(folder / WEIGHTS))
        check_finite(folder / WEIGHTS, tensors)
        return cls(config["architecture"], config["settings"], tensors, vocabulary, card)

    def save_pretrained(self, path: str | os.PathLike[str]) -> None:
        """Write the folder atomically; an older model folder at this path is replaced."""
        from safetensors.numpy import save

        target = Path(path)
        if target.exists() and not _is_replaceable(target):
            raise UsageError(
                f"{target}: exists and holds more than a model; give an empty or new folder."
            )
        arrays = to_stored(self.tensors)
        config = json.dumps(self._config(arrays), indent=2, ensure_ascii=False) + "\n"
        contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        with new_folder(target) as partial:
            (partial / CONFIG).write_text(config, encoding="utf-8")
            (partial / WEIGHTS).write_bytes(save(contiguous))
            (partial / CARD).write_text(self.card, encoding="utf-8")
            self.vocabulary.save(partial / VOCABULARY)

    def _config(self, arrays: Arrays) -> dict[str, Any]:
        return {
            "format_version": FORMAT_VERSION,
            "architecture": self.architecture,
            "settings": self.settings,
            "vocabulary_size": len(self.vocabulary),
            "tensors": {
                name: {"shape": list(array.shape), "dtype": _dtype_name(name, array)}
                for name, array in sorted(arrays.items())
            },
        }


def _find(path: Path) -> Path:
    """Return the model folder: the path itself, or `model/` in a run."""
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


def _read_vocabulary(folder: Path, *, size: int) -> Vocabulary:
    read_regular_file(folder / VOCABULARY, limit=MAX_VOCABULARY_BYTES)
    vocabulary = Vocabulary.load(folder / VOCABULARY)
    if len(vocabulary) != size:
        raise TerselyError(
            f"{folder / VOCABULARY}: {len(vocabulary)} tokens, but config.json gives {size}."
        )
    return vocabulary


def _read_weights(path: Path) -> Arrays:
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
    folder: Path, specs: Mapping[str, TensorSpec], expected: Mapping[str, TensorSpec]
) -> str:
    for name in sorted(set(specs) | set(expected)):
        if specs.get(name) != expected.get(name):
            return (
                f"{folder}: tensor {name} is {specs.get(name, 'missing')}, "
                f"expected {expected.get(name, 'none')}."
            )
    raise AssertionError("called for equal manifests")


def _is_replaceable(target: Path) -> bool:
    return target.is_dir() and all(entry.name in FILES for entry in target.iterdir())
