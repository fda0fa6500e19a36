import json
from pathlib import Path

import numpy as np
import pytest

from tersely.corpus.dataset import PreparedCorpus
from tersely.errors import UsageError
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
def test_a_broken_folder_is_refused(tmp_path: Path, name, content, complaint) -> None:
    prepared(tmp_path / "out", documents(50))
    path = tmp_path / "out" / name
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=complaint):
        PreparedCorpus.open(tmp_path / "out").split("train")


def test_a_lexicon_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    _, corpus = prepared(tmp_path / "out", documents(50))
    path = tmp_path / "out" / "lexicon.txt"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:9]))
    with pytest.raises(UsageError, match=r"lexicon\.txt does not fit the train arrays"):
        next(corpus.sentences("train"))


def test_arrays_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    _, corpus = prepared(tmp_path / "out", documents(50))
    np.save(tmp_path / "out" / "train.offsets.npy", np.array([0, 5], np.int64))
    with pytest.raises(UsageError, match="do not fit"):
        corpus.split("train")
    np.save(tmp_path / "out" / "train.tokens.npy", np.zeros(5))
    with pytest.raises(UsageError, match="expected a row of int32"):
        corpus.split("train")


def test_a_folder_that_is_none_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="tersely prepare SOURCE --out"):
        PreparedCorpus.open(tmp_path)
