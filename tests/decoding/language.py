"""A made-up language, small enough that every sentence can be enumerated."""

from collections.abc import Sequence

import numpy as np

from tersely.runtime.arrays import Floats, Ids
from tersely.text.vocabulary import BOS_ID, EOS_ID
from tests.runtime.dense_next_token import DenseNextTokenDistribution

WIDTH = 7  # number of ids: the special ones, of which 4 may appear in sentences, and two words
WORDS = (4, 5, 6)


class Prefixes:
    """Decoder state: the tokens of each row, after a number that tells rows apart."""

    def __init__(self, rows: Sequence[tuple[int, ...]]) -> None:
        self.rows = list(rows)

    def take(self, rows: Ids) -> "Prefixes":
        return Prefixes([self.rows[row] for row in rows])


class Language:
    """Draws the log-probabilities of the next token from the tokens before it."""

    def __init__(self, seed: int = 1, ids: int = WIDTH) -> None:
        self.seed, self.ids, self.steps = seed, ids, 0

    def begin(self, rows: int) -> Prefixes:
        return Prefixes([(row,) for row in range(rows)])

    def next_log_probs(self, prefix: tuple[int, ...]) -> Floats:
        scores = np.random.default_rng((self.seed, *prefix)).normal(scale=2.0, size=self.ids)
        log_probs: Floats = (scores - np.log(np.exp(scores).sum())).astype(np.float32)
        return log_probs

    def step(self, state: Prefixes, last: Ids) -> tuple[Prefixes, DenseNextTokenDistribution]:
        self.steps += 1
        prefixes = [(*row, int(token)) for row, token in zip(state.rows, last, strict=True)]
        log_probs = np.stack([self.next_log_probs(prefix) for prefix in prefixes])
        return Prefixes(prefixes), DenseNextTokenDistribution(log_probs)

    def log_prob(self, prefix: Sequence[int], ids: Sequence[int]) -> float:
        """Return log p of the ids and the end mark after a prefix."""
        prefix, total = tuple(prefix), 0.0
        for token in (*ids, EOS_ID):
            total += float(self.next_log_probs(prefix)[token])
            prefix = (*prefix, token)
        return total

    def sentence_log_prob(self, row: int, ids: Sequence[int]) -> float:
        """Return log p of a sentence of a row."""
        return self.log_prob((row, BOS_ID), ids)
