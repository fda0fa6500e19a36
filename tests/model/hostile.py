"""A hundred ways a model folder can be wrong: hostile, truncated, oversized or confused."""

import json
import math
import os
import pickle
import struct
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file

from tersely.text.vocabulary import SPECIAL_TOKENS

Spoil = Callable[[Path], object]


def ways() -> Iterator[tuple[str, Spoil]]:
    """Yield (name, function that spoils a good folder)."""
    yield from _files()
    yield from _configs()
    yield from _weights()
    yield from _scales()
    yield from _vocabularies()


def _files() -> Iterator[tuple[str, Spoil]]:
    for name in ("config.json", "model.safetensors", "vocab.txt", "README.md"):
        acts: dict[str, Callable[[Path], object]] = {
            "missing": Path.unlink,
            "is a pipe": lambda path: _replace(path, os.mkfifo),
            "is a folder": lambda path: _replace(path, os.mkdir),
            "dangles": lambda path: _replace(path, lambda link: link.symlink_to("no")),
            "is endless": lambda path: _replace(path, lambda link: link.symlink_to("/dev/zero")),
            "is huge": lambda path: _grow(path, 5 << 30),
        }
        if name != "README.md":
            acts |= {
                "empty": lambda path: path.write_bytes(b""),
                "pickled": lambda path: path.write_bytes(pickle.dumps(_Bomb())),
                "of zeros": lambda path: path.write_bytes(bytes(4096)),
                "random": lambda path: path.write_bytes(bytes(range(256)) * 9),
                "half": lambda path: _truncate(path, 0.5),
                "nearly whole": lambda path: _truncate(path, 0.98),
            }
        for case, act in acts.items():
            yield f"{name} {case}", _on_file(name, act)


def _on_file(name: str, act: Callable[[Path], object]) -> Spoil:
    return lambda folder: act(folder / name)


def _configs() -> Iterator[tuple[str, Spoil]]:
    changes: dict[str, Any] = {
        "no version": {"format_version": None},
        "future version": {"format_version": 999},
        "version as text": {"format_version": "1"},
        "architecture a number": {"architecture": 3},
        "architecture a list": {"architecture": ["a"]},
        "settings a list": {"settings": []},
        "settings null": {"settings": None},
        "vocabulary size text": {"vocabulary_size": "7"},
        "vocabulary size true": {"vocabulary_size": True},
        "vocabulary size too small": {"vocabulary_size": 6},
        "vocabulary size negative": {"vocabulary_size": -1},
        "vocabulary size huge": {"vocabulary_size": 10**30},
        "tensors a list": {"tensors": []},
        "tensors none": {"tensors": {}},
        "tensors null": {"tensors": None},
        "tensor a number": {"tensors": {"embedding": 3}},
        "tensor without shape": {"tensors": {"embedding": {"dtype": "F32"}}},
        "tensor without dtype": {"tensors": {"embedding": {"shape": [7, 4]}}},
        "shape negative": {"tensors": {"embedding": {"shape": [-7, 4], "dtype": "F32"}}},
        "shape huge": {"tensors": {"embedding": {"shape": [10**18], "dtype": "F32"}}},
        "shape overflowing": {"tensors": {"embedding": {"shape": [2**30] * 8, "dtype": "F32"}}},
        "shape of text": {"tensors": {"embedding": {"shape": ["7"], "dtype": "F32"}}},
        "shape of floats": {"tensors": {"embedding": {"shape": [7.0, 4], "dtype": "F32"}}},
        "shape deep": {"tensors": {"embedding": {"shape": [1] * 99, "dtype": "F32"}}},
        "shape other": {"tensors": {"embedding": {"shape": [4, 7], "dtype": "F32"}}},
        "dtype object": {"tensors": {"embedding": {"shape": [7, 4], "dtype": "O"}}},
        "dtype a list": {"tensors": {"embedding": {"shape": [7, 4], "dtype": ["F32"]}}},
        "dtype other": {"tensors": {"embedding": {"shape": [7, 4], "dtype": "F16"}}},
        "many tensors": {
            "tensors": {f"t{n}": {"shape": [1], "dtype": "F32"} for n in range(10_001)}
        },
        "extra tensor": {"tensors": {"x": {"shape": [1], "dtype": "F32"}}},
    }
    for name, change in changes.items():
        yield f"config: {name}", partial(_change_config, change=change)
    texts = {
        "a list": "[]",
        "a number": "1",
        "null": "null",
        "deep": "[" * 100_000,
        "deep object": '{"a":' * 50_000 + "1" + "}" * 50_000,
        "twice a key": '{"format_version": 1, "format_version": 1}',
        "long number": '{"format_version": ' + "9" * 10_000 + "}",
        "infinite": '{"format_version": Infinity}',
        "cut off": '{"format_version": 1',
        "python": "__import__('os').system('touch hacked')",
    }
    for name, text in texts.items():
        yield f"config: {name}", _on_file("config.json", partial(_write_text, text=text))
    yield "config: utf-16", lambda f: (f / "config.json").write_text("{}", encoding="utf-16")


def _weights() -> Iterator[tuple[str, Spoil]]:
    lengths = {"zero": 0, "negative": 2**64 - 1, "past the end": 10**6, "huge": 2**62}
    for name, length in lengths.items():
        yield f"weights: header length {name}", partial(_set_header_length, length=length)
    headers: dict[str, Any] = {
        "empty": {},
        "a list": [],
        "offsets past the end": {"embedding": {"data_offsets": [0, 10**9]}},
        "offsets backwards": {"embedding": {"data_offsets": [112, 0]}},
        "offsets negative": {"embedding": {"data_offsets": [-4, 108]}},
        "offsets overlapping": {"scale": {"data_offsets": [0, 2]}},
        "offsets missing": {"embedding": {"data_offsets": None}},
        "other dtype": {"embedding": {"dtype": "I32"}},
        "unknown dtype": {"embedding": {"dtype": "PICKLE"}},
        "other shape": {"embedding": {"shape": [28]}},
        "other name": {"../../escape": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}},
    }
    for name, header in headers.items():
        yield f"weights: header {name}", partial(_change_header, change=header)
    yield "weights: more bytes", lambda f: _append(f / "model.safetensors", b"\0" * 64)
    yield "weights: not a number", lambda f: _patch_floats(f, float("nan"))
    yield "weights: infinite", lambda f: _patch_floats(f, float("inf"))


def _scales() -> Iterator[tuple[str, Spoil]]:
    """Quantised weights that config and header agree on, and that make no sense."""
    scales: dict[str, Any] = {
        "not numbers": np.full(4, np.nan, np.float32),
        "infinite": np.full(4, np.inf, np.float32),
        "overflowing": np.full(4, 3e38, np.float32),
        "too few": np.ones(3, np.float32),
        "too many": np.ones(5, np.float32),
        "none": np.ones(0, np.float32),
        "a matrix": np.ones((4, 1), np.float32),
        "a column each": np.ones((4, 4), np.float32),
        "halves": np.ones(4, np.float16),
        "whole numbers": np.ones(4, np.int32),
        "compact themselves": np.ones(4, np.int8),
    }
    for name, array in scales.items():
        yield f"scales: {name}", partial(_store, change={"packed.scales": array})
    packed = {"a row": np.ones(4, np.int8), "a block": np.ones((4, 4, 4), np.int8)}
    for name, array in packed.items():
        yield f"scales: of {name}", partial(_store, change={"packed": array})
    yield "weights: half not a number", lambda f: _store(f, {"scale": np.array([np.nan], "f2")})
    yield "weights: too large once loaded", lambda f: _claim(f, rows=1 << 15, columns=1 << 16)


def _vocabularies() -> Iterator[tuple[str, Spoil]]:
    special = "\n".join(SPECIAL_TOKENS)
    texts = {
        "no special tokens": "a\nb\nc\nd\ne\nf\ng\n",
        "too few": special + "\nlate\n",
        "too many": special + "\na\nb\nc\n",
        "a word twice": special + "\nlate\nlate\n",
        "an empty line": special + "\n\nlate\n",
        "white space": special + "\nlate\nna ive\n",
        "another order": "\n".join(reversed(SPECIAL_TOKENS)) + "\nlate\nlater\n",
        "carriage returns": special.replace("\n", "\r\n") + "\r\nlate\r\nlater\r\n",
        "a million words": special + "\n" + "\n".join(map(str, range(10**6))),
    }
    for name, text in texts.items():
        yield f"vocabulary: {name}", _on_file("vocab.txt", partial(_write_text, text=text))
    yield (
        "vocabulary: latin-1",
        lambda f: (f / "vocab.txt").write_bytes(special.encode() + b"\n\xe9\nb\n"),
    )


class _Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("hacked",)


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="")


def _replace(path: Path, make: Callable[[Path], Any]) -> None:
    path.unlink()
    make(path)


def _grow(path: Path, size: int) -> None:
    with path.open("ab") as file:
        file.truncate(size)  # sparse: takes no room on the disk


def _truncate(path: Path, share: float) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])


def _append(path: Path, extra: bytes) -> None:
    with path.open("ab") as file:
        file.write(extra)


def _change_config(folder: Path, change: dict[str, Any]) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))


def _read_weights(folder: Path) -> tuple[dict[str, Any], bytes]:
    content = (folder / "model.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    return json.loads(content[8 : 8 + length]), content[8 + length :]


def _store(folder: Path, change: dict[str, Any]) -> None:
    """Put other tensors into the weights, and into the config, so that both agree."""
    path = folder / "model.safetensors"
    tensors = load_file(path) | change
    save_file(tensors, path)
    header, _ = _read_weights(folder)
    listed = {name: {key: row[key] for key in ("shape", "dtype")} for name, row in header.items()}
    _change_config(folder, {"tensors": listed})


def _claim(folder: Path, *, rows: int, columns: int) -> None:
    """A matrix that fits on the disk and not in memory; the file is sparse."""
    entries = {"packed": ([rows, columns], "I8"), "packed.scales": ([rows], "F32")}
    header, place = {}, 0
    for name, (shape, dtype) in entries.items():
        size = math.prod(shape) * (1 if dtype == "I8" else 4)
        header[name] = {"shape": shape, "dtype": dtype, "data_offsets": [place, place + size]}
        place += size
    text = json.dumps(header).encode()
    path = folder / "model.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text)
    _grow(path, 8 + len(text) + place)
    listed = {name: {"shape": shape, "dtype": dtype} for name, (shape, dtype) in entries.items()}
    _change_config(folder, {"tensors": listed})


def _set_header_length(folder: Path, length: int) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(struct.pack("<Q", length) + path.read_bytes()[8:])


def _change_header(folder: Path, change: Any) -> None:
    header, body = _read_weights(folder)
    if isinstance(change, dict) and change:
        for name, entry in change.items():
            header[name] = header.get(name, {}) | entry
    else:
        header = change
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + body)


def _patch_floats(folder: Path, value: float) -> None:
    header, _ = _read_weights(folder)
    path = folder / "model.safetensors"
    content = bytearray(path.read_bytes())
    (length,) = struct.unpack("<Q", content[:8])
    start = 8 + length + header["embedding"]["data_offsets"][0]
    content[start : start + 4] = struct.pack("<f", value)
    path.write_bytes(content)
