"""Keywords: the part of a sentence the user actually types.

A mask says which tokens stay. Everything here turns masks into keywords, finds
keywords in a sentence again, or makes masks by rule; learning which tokens to
keep is the encoder's job.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from tersely.errors import UsageError
from tersely.text.tokens import SHIFT, tokenise


def keywords(tokens: Iterable[str], keep: Iterable[bool]) -> list[str]:
    """Return the kept tokens, in order."""
    return [token for token, kept in zip(tokens, keep, strict=True) if kept]


def leftmost_alignment(words: Iterable[str], tokens: Sequence[str]) -> list[int] | None:
    """Find each keyword as far left as it can stand; None if they are not all there in order.

    If the keywords are a subsequence of the tokens at all, this finds them: matching
    each as early as possible leaves the most room for those that follow.
    """
    places: list[int] = []
    start = 0
    for word in words:
        try:
            place = tokens.index(word, start)
        except ValueError:
            return None
        places.append(place)
        start = place + 1
    return places


def leftmost_mask(tokens: Sequence[str], keep: Sequence[bool]) -> list[bool]:
    """Move a mask to the leftmost one that yields the same keywords."""
    aligned = leftmost_alignment(keywords(tokens, keep), tokens)
    chosen = set(aligned or ())
    return [index in chosen for index in range(len(tokens))]


class RuleEncoder(Protocol):
    """Chooses keywords by a fixed rule instead of a learned one."""

    def mask(self, tokens: Sequence[str], rng: random.Random) -> list[bool]:
        """Say for each token whether it is kept."""


@dataclass(frozen=True, slots=True)
class Unif:
    """Keeps each token with probability δ, whatever it is (paper, section 3)."""

    delta: float

    def __post_init__(self) -> None:
        _check_probability("Unif", self.delta)

    def mask(self, tokens: Sequence[str], rng: random.Random) -> list[bool]:
        """Draw an independent coin for each token."""
        return [rng.random() < self.delta for _ in tokens]


@dataclass(frozen=True, slots=True)
class Stopword:
    """Drops stop words, each kept with probability δ (paper, section 3: δ = 0 and 0.5).

    The list is the English one of the `stop-words` package, cut into our tokens, so
    that "n't" and "'s" are on it. It drops "not": what the user typed may then mean
    the opposite. The paper does not say whether `<shift>` and punctuation count as
    stop words; here they are kept unless a setting says otherwise.
    """

    delta: float
    drop_shift: bool = False
    drop_punctuation: bool = False

    def __post_init__(self) -> None:
        _check_probability("Stopword", self.delta)

    def mask(self, tokens: Sequence[str], rng: random.Random) -> list[bool]:
        """Keep what is no stop word; draw a coin for what is."""
        return [not self.is_stop_word(token) or rng.random() < self.delta for token in tokens]

    def is_stop_word(self, token: str) -> bool:
        """Tell whether a token may be dropped."""
        if token == SHIFT:
            return self.drop_shift
        if is_punctuation(token):
            return self.drop_punctuation
        return token.lower().replace("’", "'") in stop_words()


def is_punctuation(token: str) -> bool:
    """Tell whether a token has neither letter nor digit; `<shift>` is no punctuation."""
    return token != SHIFT and not any(character.isalnum() for character in token)


@cache
def stop_words() -> frozenset[str]:
    """Return the English list of the `stop-words` package as lower-case tokens."""
    from stop_words import get_stop_words

    entries: list[str] = get_stop_words("en")
    return frozenset(token for entry in entries for token in tokenise(entry).tokens)


def _check_probability(name: str, delta: float) -> None:
    if not 0 <= delta <= 1:
        raise UsageError(f"{name}({delta}): δ is a probability, between 0 and 1.")
