"""What every contestant of the latency benchmark is asked: the same keywords, the same lengths.

Keywords are drawn from held-out sentences, one to six of a sentence's words in their order,
each count equally often. An answer is as long as the sentence was, so that nobody wins by
saying less. Models with weights drawn at random know no words; for them a keyword is a number.
"""

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tersely.errors import UsageError
from tersely.text.keywords import is_punctuation
from tersely.text.tokens import SHIFT, tokenise

MOST_KEYWORDS = 6
MOST_TOKENS = 16


@dataclass(frozen=True, slots=True)
class Asked:
    """Keywords, their numbers among all keywords, and the tokens an answer must have."""

    keywords: tuple[str, ...]
    numbers: tuple[int, ...]
    length: int

    def as_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> "Asked":
        """As JSON held it."""
        return cls(tuple(found["keywords"]), tuple(found["numbers"]), found["length"])


def ask(sentences: Sequence[str], count: int, *, seed: int = 1) -> list[Asked]:
    """Draw keywords from the first sentences that have enough words."""
    rng = random.Random(seed)
    drawn: list[tuple[list[str], int]] = []
    for sentence in sentences:
        if len(drawn) == count:
            break
        tokens = tokenise(sentence).tokens
        words = [place for place, token in enumerate(tokens) if _is_word(token)]
        wanted = 1 + len(drawn) % MOST_KEYWORDS
        if len(words) >= wanted and len(tokens) <= MOST_TOKENS:
            kept = sorted(rng.sample(words, wanted))
            drawn.append(([tokens[place] for place in kept], len(tokens)))
    if len(drawn) < count:
        raise UsageError(
            f"The sentences give {len(drawn)} sets of keywords, {count} are wanted: "
            f"sentences of {MOST_KEYWORDS} to {MOST_TOKENS} tokens are needed."
        )
    known = {word: number for number, word in enumerate(_distinct(drawn))}
    return [
        Asked(tuple(words), tuple(known[word] for word in words), length) for words, length in drawn
    ]


def _is_word(token: str) -> bool:
    return token != SHIFT and not is_punctuation(token)


def _distinct(drawn: Sequence[tuple[list[str], int]]) -> list[str]:
    return list(dict.fromkeys(word for words, _ in drawn for word in words))
