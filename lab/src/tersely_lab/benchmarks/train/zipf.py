"""A synthetic corpus of any size.

The k-th most frequent word has a probability proportional to 1 / (k + 2.7) (Mandelbrot's form of
Zipf's law). Sentences have 4 to 16 words. Ids are ranks, as in a corpus of `tersely prepare`.
"""

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tersely.corpus.dataset import FORMAT_VERSION, SPLITS, Split
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary

VOCABULARY_SIZE = 10_000
MIN_WORDS, MAX_WORDS = 4, 16
_RANK_OFFSET = 2.7


def word_probabilities(count: int) -> npt.NDArray[np.float64]:
    """Return the probability of each of `count` words, most frequent first."""
    weights: npt.NDArray[np.float64] = 1 / (np.arange(count) + 1 + _RANK_OFFSET)
    total: np.float64 = weights.sum()
    return weights / total


def generate(sentences: int, *, vocabulary: int = VOCABULARY_SIZE, seed: int = 1) -> Split:
    """Draw sentences; the same ones for the same arguments."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(MIN_WORDS, MAX_WORDS, size=sentences, endpoint=True)
    cumulative = np.cumsum(word_probabilities(vocabulary - len(SPECIAL_TOKENS)))
    cumulative[-1] = 1.0  # despite rounding, no draw lies past the last word
    ranks = np.searchsorted(cumulative, rng.random(int(lengths.sum())), side="right")
    tokens = (ranks + len(SPECIAL_TOKENS)).astype(np.int32)
    return Split(tokens, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))


def vocabulary_of(size: int = VOCABULARY_SIZE) -> Vocabulary:
    """Return the vocabulary: `w0` is the most frequent word."""
    words = (f"w{rank}" for rank in range(size - len(SPECIAL_TOKENS)))
    return Vocabulary([*SPECIAL_TOKENS, *words])


def unif_masks(lengths: npt.NDArray[np.int64], *, delta: float, seed: int) -> npt.NDArray[np.bool_]:
    """Keep each token with probability δ, and at least one of each sentence: Unif(δ)."""
    rng = np.random.default_rng(seed)
    ends = np.cumsum(lengths)
    keep = rng.random(int(lengths.sum())) < delta
    counts = np.add.reduceat(keep, ends - lengths, dtype=np.int64)
    fallback = ends - lengths + rng.integers(0, lengths)
    keep[fallback[counts == 0]] = True
    return keep


def write_pairs(split: Split, *, words: Vocabulary, keywords: Path, sentences: Path) -> None:
    """Write one sentence per line, and its Unif(0.5) keywords on the same line of another file."""
    keep = unif_masks(split.lengths, delta=0.5, seed=1)
    tokens = words.tokens
    with (
        keywords.open("w", encoding="utf-8") as keyword_file,
        sentences.open("w", encoding="utf-8") as sentence_file,
    ):
        for index, start in enumerate(split.offsets[:-1]):
            ids = split[index]
            kept_ids = ids[keep[start : start + len(ids)]]
            keyword_file.write(" ".join(tokens[i] for i in kept_ids) + "\n")
            sentence_file.write(" ".join(tokens[i] for i in ids) + "\n")


def write_prepared(split: Split, folder: Path, *, words: Vocabulary, held_out: int = 1_000) -> None:
    """Write a prepared corpus: all sentences for training, the first ones also as dev and test."""
    folder.mkdir(parents=True, exist_ok=True)
    words.save(folder / "lexicon.txt")
    for name in SPLITS:
        offsets = split.offsets if name == "train" else split.offsets[: held_out + 1]
        np.save(folder / f"{name}.tokens.npy", split.tokens[: int(offsets[-1])])
        np.save(folder / f"{name}.offsets.npy", offsets)
    summary = {
        "format_version": FORMAT_VERSION,
        "vocabulary_size": len(words),
        "lexicon_size": len(words),
        "sources": ["generated"],
        "settings": {},
    }
    (folder / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
