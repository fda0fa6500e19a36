"""A prepared corpus on disk: sentences as ids in memory-mappable arrays.

    DIR/lexicon.txt           every token by decreasing frequency, special tokens first
    DIR/SPLIT.tokens.npy      the ids of all sentences, concatenated (int32)
    DIR/SPLIT.offsets.npy     the start of each sentence, and the end of the last (int64)
    DIR/summary.json          sources, settings and counts
    DIR/histogram.png         sentence lengths and token frequencies

The vocabulary is the first `vocabulary_size` entries of the lexicon: a model can generate
these words, and only copy those with larger ids. prepare.py creates the folder.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from tersely.errors import UsageError
from tersely.text.tokens import detokenise
from tersely.text.vocabulary import UNK_ID, Vocabulary

FORMAT_VERSION = 1
SPLITS = ("train", "dev", "test")
CHUNK_SENTENCES = 50_000

Ids = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Split:
    """The sentences of one split."""

    tokens: Ids  # (tokens of all sentences,)
    offsets: npt.NDArray[np.int64]  # (sentences + 1,)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> Ids:
        """Return the ids of one sentence."""
        return self.tokens[self.offsets[index] : self.offsets[index + 1]]

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """The number of tokens in each sentence."""
        return np.diff(self.offsets)


@dataclass(frozen=True, slots=True)
class PreparedCorpus:
    """A folder that `tersely prepare` wrote."""

    folder: Path
    summary: dict[str, Any]

    @classmethod
    def open(cls, folder: Path) -> "PreparedCorpus":
        """Open a folder; raise UsageError if it is not a prepared corpus or not complete."""
        path = folder / "summary.json"
        try:
            summary = json.loads(path.read_text(encoding="utf-8"))
            version = summary["format_version"]
        except FileNotFoundError as error:
            raise UsageError(
                f"{folder}: not a prepared corpus (no summary.json). "
                f"Create one with: tersely prepare SOURCE --out {folder}"
            ) from error
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{path}: cannot be read ({error}). Run prepare again.") from error
        if version != FORMAT_VERSION:
            raise UsageError(
                f"{folder}: has format {version}; this version of tersely reads format "
                f"{FORMAT_VERSION}. Run prepare again."
            )
        return cls(folder, summary)

    def lexicon(self) -> Vocabulary:
        """Return every token of the corpus; the vocabulary is a prefix of it."""
        return Vocabulary.load(self.folder / "lexicon.txt")

    def vocabulary(self) -> Vocabulary:
        """Return the words that a model trained on this corpus can generate."""
        size = int(self.summary["vocabulary_size"])
        return Vocabulary.load(self.folder / "lexicon.txt", size=size)

    def split(self, name: str) -> Split:
        """Map one split into memory; pages are read when they are used."""
        tokens = _map_array(self.folder / f"{name}.tokens.npy", np.dtype(np.int32))
        offsets = _map_array(self.folder / f"{name}.offsets.npy", np.dtype(np.int64))
        if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(tokens):
            raise UsageError(
                f"{self.folder}: {name}.tokens.npy and {name}.offsets.npy do not match. "
                "Run prepare again."
            )
        return Split(tokens, offsets)

    def sentences(self, name: str) -> Iterator[str]:
        """Yield the sentences of one split as text."""
        lexicon, split = self.lexicon(), self.split(name)
        if len(split.tokens) and split.tokens.max() >= len(lexicon):
            raise UsageError(
                f"{self.folder}: lexicon.txt does not match the {name} arrays. Run prepare again."
            )
        for index in range(len(split)):
            yield detokenise(lexicon.decode(split[index]))


def write_split(
    path: Path, folder: Path, lexicon: Vocabulary, vocabulary_size: int
) -> dict[str, Any]:
    """Write the tokenised sentences of `path` as arrays to `folder`; return their counts.

    The file has one sentence per line; its name is that of the split.
    """
    sentences = tokens = known = unknown = 0
    lengths: dict[int, int] = {}
    with (
        _array_writer(folder / f"{path.name}.tokens.npy", np.int32) as token_file,
        _array_writer(folder / f"{path.name}.offsets.npy", np.int64) as offset_file,
    ):
        offset_file.write(np.zeros(1, np.int64).tobytes())
        for chunk in _read_chunks(path):
            ids = [lexicon.encode(sentence.split(" ")) for sentence in chunk]
            counts = np.array([len(sentence) for sentence in ids], np.int64)
            flat = np.array([token for sentence in ids for token in sentence], np.int32)
            token_file.write(flat.tobytes())
            offset_file.write((tokens + np.cumsum(counts)).tobytes())
            sentences += len(chunk)
            tokens += len(flat)
            known += int((flat < vocabulary_size).sum() - (flat == UNK_ID).sum())
            unknown += int((flat == UNK_ID).sum())
            for length, count in zip(*np.unique(counts, return_counts=True), strict=True):
                lengths[int(length)] = lengths.get(int(length), 0) + int(count)
    return {
        "sentences": sentences,
        "tokens": tokens,
        "tokens_a_sentence": round(tokens / sentences, 4) if sentences else 0.0,
        "in_vocabulary_share": round(known / tokens, 6) if tokens else 0.0,
        "beyond_lexicon": unknown,
        "lengths": {str(length): lengths[length] for length in sorted(lengths)},
    }


def iterate_array(path: Path, chunk_size: int = 1 << 22) -> Iterator[npt.NDArray[Any]]:
    """Yield a one-dimensional .npy file in chunks.

    Unlike the pages of a mapped file, a chunk leaves memory when it is no longer used.
    """
    with path.open("rb") as file:
        np.lib.format.read_magic(file)
        _, _, dtype = np.lib.format.read_array_header_1_0(file)
        while len(chunk := np.fromfile(file, dtype, chunk_size)):
            yield chunk


def _map_array(path: Path, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
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
        raise UsageError(
            f"{path}: expected a one-dimensional {dtype} array, got {array.ndim} dimension(s) of "
            f"{array.dtype}. Run prepare again."
        )
    return array


def _read_chunks(path: Path) -> Iterator[list[str]]:
    chunk: list[str] = []
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            chunk.append(line.rstrip("\n"))
            if len(chunk) == CHUNK_SENTENCES:
                yield chunk
                chunk = []
    if chunk:
        yield chunk


@contextmanager
def _array_writer(path: Path, dtype: type) -> Iterator[BinaryIO]:
    """Open a .npy file to append to; write its length into the header at the end.

    The header must not grow with the number. NumPy pads headers to 64 bytes, which leaves
    room for any 64-bit number.
    """
    with path.open("wb+") as file:
        start = _write_header(file, dtype, 0)
        yield file
        count = (file.tell() - start) // np.dtype(dtype).itemsize
        file.seek(0)
        if _write_header(file, dtype, count) != start:
            raise AssertionError(f"{path}: the header grew")


def _write_header(file: BinaryIO, dtype: type, count: int) -> int:
    header = {
        "descr": np.lib.format.dtype_to_descr(np.dtype(dtype)),
        "fortran_order": False,
        "shape": (count,),
    }
    np.lib.format.write_array_header_1_0(file, header)
    return file.tell()
