"""Arrays: a file of tokenised sentences → NumPy arrays, written as they are made."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from tersely.text.vocabulary import UNK_ID, Vocabulary

SENTENCES_A_CHUNK = 50_000


def write_split(
    path: Path, folder: Path, lexicon: Vocabulary, vocabulary_size: int
) -> dict[str, Any]:
    """Write the sentences of `path` as FOLDER/NAME.tokens.npy and .offsets.npy; tell of them."""
    sentences = tokens = known = beyond = 0
    lengths: dict[int, int] = {}
    with (
        _array(folder / f"{path.name}.tokens.npy", np.int32) as token_file,
        _array(folder / f"{path.name}.offsets.npy", np.int64) as offset_file,
    ):
        offset_file.write(np.zeros(1, np.int64).tobytes())
        for chunk in _chunks(path):
            ids = [lexicon.encode(sentence.split(" ")) for sentence in chunk]
            counts = np.array([len(sentence) for sentence in ids], np.int64)
            flat = np.array([token for sentence in ids for token in sentence], np.int32)
            token_file.write(flat.tobytes())
            offset_file.write((tokens + np.cumsum(counts)).tobytes())
            sentences += len(chunk)
            tokens += len(flat)
            known += int((flat < vocabulary_size).sum() - (flat == UNK_ID).sum())
            beyond += int((flat == UNK_ID).sum())
            for length, count in zip(*np.unique(counts, return_counts=True), strict=True):
                lengths[int(length)] = lengths.get(int(length), 0) + int(count)
    return {
        "sentences": sentences,
        "tokens": tokens,
        "tokens_a_sentence": round(tokens / sentences, 4) if sentences else 0.0,
        "in_vocabulary_share": round(known / tokens, 6) if tokens else 0.0,
        "beyond_lexicon": beyond,
        "lengths": {str(length): lengths[length] for length in sorted(lengths)},
    }


def read_pieces(path: Path, size: int = 1 << 22) -> Iterator[np.ndarray]:
    """Read a one-dimensional .npy file piece by piece.

    A mapped file stays in a process's memory once it was read, page by page; this does not.
    """
    with path.open("rb") as file:
        np.lib.format.read_magic(file)
        _, _, dtype = np.lib.format.read_array_header_1_0(file)
        while len(piece := np.fromfile(file, dtype, size)):
            yield piece


def _chunks(path: Path) -> Iterator[list[str]]:
    chunk: list[str] = []
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            chunk.append(line.rstrip("\n"))
            if len(chunk) == SENTENCES_A_CHUNK:
                yield chunk
                chunk = []
    if chunk:
        yield chunk


@contextmanager
def _array(path: Path, dtype: type) -> Iterator[BinaryIO]:
    """Open a .npy file to append to; its header gets the length at the end.

    The header's length must not change when the number grows, so it is padded:
    NumPy aligns headers to 64 bytes, which leaves room for any 64-bit number.
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
