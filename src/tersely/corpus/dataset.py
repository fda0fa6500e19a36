"""A prepared corpus: sentences as ids in memory-mappable arrays.

    DIR/lexicon.txt           every token by falling frequency, special ones first
    DIR/SPLIT.tokens.npy      all sentences' ids, end to end (int32)
    DIR/SPLIT.offsets.npy     where each sentence begins, and the end (int64)
    DIR/summary.json          what went in, what came out, and how it was made
    DIR/histogram.png         lengths and frequencies

The vocabulary is the first `vocabulary_size` entries of the lexicon: an id within
it is a word the model can generate, an id past it a word it can only copy.
prepare.py writes such a folder; here it is opened and checked.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.errors import UsageError
from tersely.text.tokens import detokenise
from tersely.text.vocabulary import Vocabulary

FORMAT_VERSION = 1
SPLITS = ("train", "dev", "test")

Ids = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Split:
    """The sentences of one split."""

    tokens: Ids
    offsets: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> Ids:
        """Return one sentence's ids."""
        return self.tokens[self.offsets[index] : self.offsets[index + 1]]

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """Tokens in each sentence."""
        return np.diff(self.offsets)


@dataclass(frozen=True, slots=True)
class PreparedCorpus:
    """A folder that `tersely prepare` wrote."""

    folder: Path
    summary: dict[str, Any]

    @classmethod
    def open(cls, folder: Path) -> "PreparedCorpus":
        """Open a folder; say what is wrong if it is not one, or not whole."""
        path = folder / "summary.json"
        try:
            summary = json.loads(path.read_text(encoding="utf-8"))
            version = summary["format_version"]
        except FileNotFoundError as error:
            raise UsageError(
                f"{folder}: no prepared corpus here (no summary.json). "
                f"Make one with: tersely prepare SOURCE --out {folder}"
            ) from error
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{path}: cannot be read ({error}). Run prepare again.") from error
        if version != FORMAT_VERSION:
            raise UsageError(
                f"{folder}: prepared in format {version}; this tersely reads {FORMAT_VERSION}. "
                "Run prepare again."
            )
        return cls(folder, summary)

    def lexicon(self) -> Vocabulary:
        """Every token of the corpus; the first of them are the vocabulary."""
        return Vocabulary.load(self.folder / "lexicon.txt")

    def vocabulary(self) -> Vocabulary:
        """The words a model trained on this corpus can generate."""
        size = int(self.summary["vocabulary_size"])
        return Vocabulary.load(self.folder / "lexicon.txt", size=size)

    def split(self, name: str) -> Split:
        """Map one split into memory; nothing is read until it is used."""
        tokens = _map(self.folder / f"{name}.tokens.npy", np.dtype(np.int32))
        offsets = _map(self.folder / f"{name}.offsets.npy", np.dtype(np.int64))
        if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(tokens):
            raise UsageError(f"{self.folder}: the {name} arrays do not fit. Run prepare again.")
        return Split(tokens, offsets)

    def sentences(self, name: str) -> Iterator[str]:
        """The text of one split, sentence after sentence."""
        lexicon, split = self.lexicon(), self.split(name)
        if len(split.tokens) and split.tokens.max() >= len(lexicon):
            raise UsageError(
                f"{self.folder}: lexicon.txt does not fit the {name} arrays. Run prepare again."
            )
        for index in range(len(split)):
            yield detokenise(lexicon.decode(split[index]))


def _map(path: Path, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    try:
        array: npt.NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        # An empty array cannot be mapped, only read.
        try:
            array = np.load(path, allow_pickle=False)
        except ValueError:
            raise UsageError(f"{path}: not a NumPy array ({error}). Run prepare again.") from error
    except (OSError, EOFError) as error:
        raise UsageError(f"{path}: cannot be read ({error}). Run prepare again.") from error
    if array.dtype != dtype or array.ndim != 1:
        raise UsageError(f"{path}: expected a row of {dtype}, found {array.dtype}.")
    return array
