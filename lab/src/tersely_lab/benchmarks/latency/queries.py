"""Queries of the latency benchmark: the same keywords and lengths for all candidates.

Keywords come from held-out sentences: one to six words in their order, each count equally often.
A suggestion has as many tokens as the sentence, so that no candidate gains by short ones. Models
with random weights have no real words; for them a keyword is a number.
"""

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tersely.errors import UsageError
from tersely.text.keywords import is_punctuation
from tersely.text.tokens import SHIFT, tokenise

MAX_KEYWORDS = 6
MAX_TOKENS = 16


@dataclass(frozen=True, slots=True)
class Query:
    """Keywords, their numbers among all keywords, and the tokens that a suggestion must have."""

    keywords: tuple[str, ...]
    numbers: tuple[int, ...]
    length: int

    def as_dict(self) -> dict[str, Any]:
        """Return the query as a JSON object."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> "Query":
        """Read a query from a JSON object."""
        return cls(tuple(record["keywords"]), tuple(record["numbers"]), record["length"])


def draw_queries(sentences: Sequence[str], count: int, *, seed: int = 1) -> list[Query]:
    """Draw keywords from the first sentences that have enough words."""
    rng = random.Random(seed)
    drawn: list[tuple[list[str], int]] = []
    for sentence in sentences:
        if len(drawn) == count:
            break
        tokens = tokenise(sentence).tokens
        words = [position for position, token in enumerate(tokens) if _is_word(token)]
        keyword_count = 1 + len(drawn) % MAX_KEYWORDS
        if len(words) >= keyword_count and len(tokens) <= MAX_TOKENS:
            positions = sorted(rng.sample(words, keyword_count))
            drawn.append(([tokens[position] for position in positions], len(tokens)))
    if len(drawn) < count:
        raise UsageError(
            f"The sentences give {len(drawn)} sets of keywords instead of {count}. "
            f"Add sentences of {MAX_KEYWORDS} to {MAX_TOKENS} tokens, or lower --sets."
        )
    distinct = dict.fromkeys(word for words, _ in drawn for word in words)
    numbers = {word: number for number, word in enumerate(distinct)}
    return [
        Query(tuple(words), tuple(numbers[word] for word in words), length)
        for words, length in drawn
    ]


def _is_word(token: str) -> bool:
    return token != SHIFT and not is_punctuation(token)
