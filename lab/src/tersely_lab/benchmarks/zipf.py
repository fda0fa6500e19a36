"""A corpus to measure on, of any size, from nothing but a seed.

Words fall off as in real text: the k-th most frequent comes with a probability
proportional to 1 / (k + 2.7) (Mandelbrot's form of Zipf's law). Sentences have
between 4 and 16 words. Every id is within the vocabulary, rank after rank, as in a
corpus that `tersely prepare` wrote.
"""

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tersely.corpus.dataset import FORMAT_VERSION, SPLITS, Split
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary

VOCABULARY = 10_000
SHORTEST, LONGEST = 4, 16
_FLATTENED = 2.7


def word_chances(count: int) -> npt.NDArray[np.float64]:
    """How likely each of `count` words is, most frequent first."""
    chances: npt.NDArray[np.float64] = 1 / (np.arange(count) + 1 + _FLATTENED)
    total: np.float64 = chances.sum()
    return chances / total


def generate(sentences: int, *, vocabulary: int = VOCABULARY, seed: int = 1) -> Split:
    """Draw sentences; the same ones for the same arguments."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(SHORTEST, LONGEST, size=sentences, endpoint=True)
    below = np.cumsum(word_chances(vocabulary - len(SPECIAL_TOKENS)))
    below[-1] = 1.0  # whatever rounding says, no draw lies past the last word
    ranks = np.searchsorted(below, rng.random(int(lengths.sum())), side="right")
    tokens = (ranks + len(SPECIAL_TOKENS)).astype(np.int32)
    return Split(tokens, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))


def lexicon(vocabulary: int = VOCABULARY) -> Vocabulary:
    """Name every word: `w0` is the most frequent."""
    words = (f"w{rank}" for rank in range(vocabulary - len(SPECIAL_TOKENS)))
    return Vocabulary([*SPECIAL_TOKENS, *words])


def keep_some(lengths: npt.NDArray[np.int64], *, delta: float, seed: int) -> npt.NDArray[np.bool_]:
    """Keep each token with probability δ, and one of every sentence at least: Unif(δ)."""
    rng = np.random.default_rng(seed)
    ends = np.cumsum(lengths)
    keep = rng.random(int(lengths.sum())) < delta
    kept = np.add.reduceat(keep, ends - lengths, dtype=np.int64)
    chosen = ends - lengths + rng.integers(0, lengths)
    keep[chosen[kept == 0]] = True
    return keep


def write_pairs(split: Split, *, words: Vocabulary, keywords: Path, sentences: Path) -> None:
    """Write one sentence a line, and its Unif(0.5) keywords on the same line of another file."""
    keep = keep_some(split.lengths, delta=0.5, seed=1)
    names = words.tokens
    with keywords.open("w", encoding="utf-8") as given, sentences.open("w", encoding="utf-8") as to:
        for index, start in enumerate(split.offsets[:-1]):
            ids = split[index]
            kept = ids[keep[start : start + len(ids)]]
            given.write(" ".join(names[i] for i in kept) + "\n")
            to.write(" ".join(names[i] for i in ids) + "\n")


def write_prepared(split: Split, folder: Path, *, words: Vocabulary, held_out: int = 1_000) -> None:
    """Write what `tersely prepare` would have: all for training, the first ones held out too."""
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
