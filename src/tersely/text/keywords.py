"""Keywords: the part of a sentence the user actually types.

A mask marks the tokens to keep. This module turns masks into keywords and makes masks
by rule. Learned encoders make masks in game/; alignment.py finds keywords in a sentence.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Protocol

from tersely.errors import UsageError
from tersely.text.tokens import SHIFT, tokenise


def keywords(tokens: Iterable[str], keep: Iterable[bool]) -> list[str]:
    """Return the kept tokens, in order."""
    return [token for token, kept in zip(tokens, keep, strict=True) if kept]


class KeywordRule(Protocol):
    """An encoder that chooses keywords by a fixed rule."""

    def mask(self, tokens: Sequence[str], rng: random.Random) -> list[bool]:
        """Return a flag for each token: True if it is kept."""

    def probabilities(self, tokens: Sequence[str]) -> list[float]:
        """Return the probability that each token is kept."""


@dataclass(frozen=True, slots=True)
class Unif:
    """Keep each token with probability δ (paper, section 3)."""

    delta: float

    def __post_init__(self) -> None:
        _check_probability("Unif", self.delta)

    def mask(self, tokens: Sequence[str], rng: random.Random) -> list[bool]:
        """Draw each flag independently."""
        return [rng.random() < self.delta for _ in tokens]

    def probabilities(self, tokens: Sequence[str]) -> list[float]:
        """Return δ for each token."""
        return [self.delta for _ in tokens]


@dataclass(frozen=True, slots=True)
class Stopword:
    """Drop stop words, but keep each with probability δ (paper, section 3: δ = 0 and 0.5).

    The list contains "not", so the keywords may mean the opposite of the sentence. The
    paper does not specify whether `<shift>` and punctuation are stop words; by default
    they are kept. See docs/decisions/stop-words.md.
    """

    delta: float
    drop_shift: bool = False
    drop_punctuation: bool = False

    def __post_init__(self) -> None:
        _check_probability("Stopword", self.delta)

    def mask(self, tokens: Sequence[str], rng: random.Random) -> list[bool]:
        """Draw a flag for each stop word; keep the other tokens."""
        return [not self.is_stop_word(token) or rng.random() < self.delta for token in tokens]

    def probabilities(self, tokens: Sequence[str]) -> list[float]:
        """Return δ for stop words, and 1 for the other tokens."""
        return [self.delta if self.is_stop_word(token) else 1.0 for token in tokens]

    def is_stop_word(self, token: str) -> bool:
        """Return True if the token may be dropped."""
        if token == SHIFT:
            return self.drop_shift
        if is_punctuation(token):
            return self.drop_punctuation
        return token.lower().replace("’", "'") in stop_words()


def is_punctuation(token: str) -> bool:
    """Return True if a token has no letter or digit; `<shift>` is not punctuation."""
    return token != SHIFT and not any(character.isalnum() for character in token)


@cache
def stop_words() -> frozenset[str]:
    """Return the English stop words of stop_words.txt as lower-case tokens."""
    lines = files("tersely.text").joinpath("stop_words.txt").read_text(encoding="utf-8")
    entries = [line for line in lines.splitlines() if not line.startswith("#")]
    return frozenset(token for entry in entries for token in tokenise(entry).tokens)


def _check_probability(name: str, delta: float) -> None:
    if not 0 <= delta <= 1:
        raise UsageError(f"{name}({delta}): δ must be a probability between 0 and 1.")
