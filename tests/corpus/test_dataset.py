import json
from pathlib import Path

import numpy as np
import pytest

from tersely.corpus import dataset
from tersely.corpus.dataset import PreparedCorpus, iterate_array, write_split
from tersely.errors import UsageError
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary
from tests.corpus.test_prepare import documents, prepared


def test_a_split_gives_sentence_after_sentence(tmp_path: Path) -> None:
    _, corpus = prepared(tmp_path / "out", documents(200))
    split = corpus.split("train")
    assert sum(len(split[index]) for index in range(len(split))) == len(split.tokens)
    assert np.array_equal(split.lengths, [len(split[index]) for index in range(len(split))])
    assert isinstance(split.tokens, np.memmap)


def test_the_text_of_a_split_comes_back(tmp_path: Path) -> None:
    texts = [f"I have {number} cats, {number} of them grey." for number in range(60)]
    _, corpus = prepared(tmp_path / "out", texts)
    found = [text for name in ("train", "dev", "test") for text in corpus.sentences(name)]
    assert sorted(found) == sorted(texts)
    assert len([*corpus.sentences("train")]) == len(corpus.split("train"))


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("summary.json", b"{", "cannot be read"),
        ("summary.json", b"[]", "cannot be read"),
        ("summary.json", json.dumps({"format_version": 99}).encode(), "format 99"),
        ("train.tokens.npy", b"", "cannot be read"),
        ("train.tokens.npy", b"garbage" * 99, "not a NumPy array"),
        ("train.offsets.npy", None, "cannot be read"),
    ],
)
def test_a_broken_folder_is_rejected(
    tmp_path: Path, name: str, content: bytes | None, complaint: str
) -> None:
    prepared(tmp_path / "out", documents(50))
    path = tmp_path / "out" / name
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=complaint):
        PreparedCorpus.open(tmp_path / "out").split("train")


def test_a_lexicon_that_does_not_fit_is_rejected(tmp_path: Path) -> None:
    _, corpus = prepared(tmp_path / "out", documents(50))
    path = tmp_path / "out" / "lexicon.txt"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:9]))
    with pytest.raises(UsageError, match=r"lexicon\.txt does not match the train arrays"):
        next(corpus.sentences("train"))


def test_arrays_that_do_not_fit_are_rejected(tmp_path: Path) -> None:
    _, corpus = prepared(tmp_path / "out", documents(50))
    np.save(tmp_path / "out" / "train.offsets.npy", np.array([0, 5], np.int64))
    with pytest.raises(UsageError, match="do not match"):
        corpus.split("train")
    np.save(tmp_path / "out" / "train.tokens.npy", np.zeros(5))
    with pytest.raises(UsageError, match="expected a one-dimensional int32 array"):
        corpus.split("train")


def test_the_error_for_another_folder_names_the_command_to_create_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="tersely prepare SOURCE --out"):
        PreparedCorpus.open(tmp_path)


def test_the_arrays_do_not_depend_on_the_chunk_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    monkeypatch.setattr(dataset, "CHUNK_SENTENCES", 7)
    assert write_split(tmp_path / "train", tmp_path, lexicon, vocabulary_size=7) == whole
    assert np.array_equal(np.load(tmp_path / "train.tokens.npy"), tokens)


def test_an_empty_split_is_an_empty_array(tmp_path: Path) -> None:
    (tmp_path / "dev").write_text("")
    summary = write_split(tmp_path / "dev", tmp_path, Vocabulary(SPECIAL_TOKENS), 5)
    assert summary["sentences"] == 0
    assert np.load(tmp_path / "dev.offsets.npy").tolist() == [0]


@pytest.mark.parametrize("count", [0, 1, 9, 10, 25])
def test_an_array_is_read_in_chunks(tmp_path: Path, count: int) -> None:
    np.save(tmp_path / "numbers.npy", np.arange(count, dtype=np.int32))
    chunks = list(iterate_array(tmp_path / "numbers.npy", chunk_size=10))
    assert [number for chunk in chunks for number in chunk] == list(range(count))
    assert all(len(chunk) <= 10 for chunk in chunks)


def test_reading_in_chunks_does_not_map_the_file(tmp_path: Path) -> None:
    """Mapped pages count as memory of the process as long as they are used."""
    path = tmp_path / "numbers.npy"
    np.save(path, np.zeros(1 << 20, np.int32))
    for chunk in iterate_array(path, chunk_size=1 << 16):
        assert not isinstance(chunk, np.memmap)
        assert chunk.base is None
    maps = Path("/proc/self/maps")
    assert not maps.exists() or str(path) not in maps.read_text()
