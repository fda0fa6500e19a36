from pathlib import Path

import numpy as np
import pytest

from tersely.corpus import arrays
from tersely.corpus.arrays import read_pieces, write_split
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary


def test_sentences_become_arrays_whatever_the_chunk(tmp_path: Path, monkeypatch) -> None:
    lexicon = Vocabulary([*SPECIAL_TOKENS, "a", "b", "c"])
    (tmp_path / "train").write_text("a b\nc\n" * 50 + "a zzz\n")
    whole = write_split(tmp_path / "train", tmp_path, lexicon, vocabulary_size=7)
    tokens, offsets = (np.load(tmp_path / f"train.{n}.npy") for n in ("tokens", "offsets"))
    assert tokens.tolist() == [5, 6, 7] * 50 + [5, 1]
    assert offsets.tolist()[:4] == [0, 2, 3, 5]
    assert offsets[-1] == len(tokens) == whole["tokens"]
    assert whole["sentences"] == 101
    assert whole["lengths"] == {"1": 50, "2": 51}
    assert whole["in_vocabulary_share"] == round(101 / 152, 6)
    assert whole["beyond_lexicon"] == 1
    monkeypatch.setattr(arrays, "SENTENCES_A_CHUNK", 7)
    assert write_split(tmp_path / "train", tmp_path, lexicon, vocabulary_size=7) == whole
    assert np.array_equal(np.load(tmp_path / "train.tokens.npy"), tokens)


def test_an_empty_split_is_an_empty_array(tmp_path: Path) -> None:
    (tmp_path / "dev").write_text("")
    summary = write_split(tmp_path / "dev", tmp_path, Vocabulary(SPECIAL_TOKENS), 5)
    assert summary["sentences"] == 0
    assert np.load(tmp_path / "dev.offsets.npy").tolist() == [0]


@pytest.mark.parametrize("count", [0, 1, 9, 10, 25])
def test_a_file_is_read_piece_by_piece(tmp_path: Path, count: int) -> None:
    np.save(tmp_path / "numbers.npy", np.arange(count, dtype=np.int32))
    pieces = list(read_pieces(tmp_path / "numbers.npy", size=10))
    assert [number for piece in pieces for number in piece] == list(range(count))
    assert all(len(piece) <= 10 for piece in pieces)


def test_reading_by_pieces_maps_nothing(tmp_path: Path) -> None:
    """What is mapped counts as memory of the process for as long as it is looked at."""
    path = tmp_path / "numbers.npy"
    np.save(path, np.zeros(1 << 20, np.int32))
    for piece in read_pieces(path, size=1 << 16):
        assert not isinstance(piece, np.memmap)
        assert piece.base is None
    maps = Path("/proc/self/maps")
    assert not maps.exists() or str(path) not in maps.read_text()
