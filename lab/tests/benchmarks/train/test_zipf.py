from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.corpus.dataset import PreparedCorpus
from tersely.text.vocabulary import SPECIAL_TOKENS
from tersely_lab.benchmarks.train.zipf import (
    MAX_WORDS,
    MIN_WORDS,
    generate,
    unif_masks,
    vocabulary_of,
    word_probabilities,
    write_pairs,
    write_prepared,
)


def test_the_same_seed_gives_the_same_sentences_and_another_gives_others() -> None:
    first, again, other = generate(50), generate(50), generate(50, seed=2)
    assert np.array_equal(first.tokens, again.tokens)
    assert np.array_equal(first.offsets, again.offsets)
    assert not np.array_equal(first.offsets, other.offsets)


@given(st.integers(1, 60), st.integers(6, 300), st.integers(0, 5))
def test_sentences_have_valid_lengths_and_ids(sentences: int, vocabulary: int, seed: int) -> None:
    split = generate(sentences, vocabulary=vocabulary, seed=seed)
    assert len(split) == sentences
    assert split.offsets[-1] == len(split.tokens)
    assert split.lengths.min() >= MIN_WORDS
    assert split.lengths.max() <= MAX_WORDS
    assert split.tokens.min() >= len(SPECIAL_TOKENS)
    assert split.tokens.max() < vocabulary


def test_word_frequencies_follow_the_ranks() -> None:
    split = generate(20_000, vocabulary=1_000)
    shares = np.bincount(split.tokens, minlength=1_000)[len(SPECIAL_TOKENS) :] / len(split.tokens)
    chances = word_probabilities(1_000 - len(SPECIAL_TOKENS))
    assert chances.sum() == pytest.approx(1)
    assert chances[0] / chances[99] == pytest.approx(102.7 / 3.7)
    assert shares[:20] == pytest.approx(chances[:20], rel=0.1)
    assert len(np.unique(split.lengths)) == MAX_WORDS - MIN_WORDS + 1


def test_masks_keep_half_of_the_words_and_one_of_each_sentence() -> None:
    lengths = generate(5_000).lengths
    keep = unif_masks(lengths, delta=0.5, seed=1)
    counts = np.add.reduceat(keep.astype(int), np.cumsum(lengths) - lengths)
    assert counts.min() >= 1
    assert keep.mean() == pytest.approx(0.5, abs=0.02)
    none = unif_masks(lengths, delta=0.0, seed=1)
    assert none.sum() == len(lengths)


def test_keywords_are_words_of_their_sentence_in_order(tmp_path: Path) -> None:
    split = generate(30, vocabulary=100)
    write_pairs(split, words=vocabulary_of(100), keywords=tmp_path / "k", sentences=tmp_path / "s")
    keywords = (tmp_path / "k").read_text().splitlines()
    sentences = (tmp_path / "s").read_text().splitlines()
    assert len(keywords) == len(sentences) == 30
    for typed, sentence in zip(keywords, sentences, strict=True):
        rest = iter(sentence.split())
        assert typed
        assert all(word in rest for word in typed.split())
    assert sentences[3] == " ".join(vocabulary_of(100).decode(split[3]))


def test_a_generated_corpus_opens_as_a_prepared_one(tmp_path: Path) -> None:
    split = generate(30, vocabulary=100)
    write_prepared(split, tmp_path / "corpus", words=vocabulary_of(100), held_out=7)
    corpus = PreparedCorpus.open(tmp_path / "corpus")
    assert len(corpus.vocabulary()) == 100
    assert [len(corpus.split(name)) for name in ("train", "dev", "test")] == [30, 7, 7]
    assert corpus.split("train")[29].tolist() == split[29].tolist()
