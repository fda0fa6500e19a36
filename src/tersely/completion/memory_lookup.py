"""Recalling: how likely a remembered sentence is the one meant, beside all the model could say.

A person who has said something before may say it again, the more often the likelier; or
say something new. With c(x) the times a sentence that fits was used, weighed by how much
of it was typed, the next one is x with probability c(x) / (c + κ) and new, from the
model, with probability κ / (c + κ), where c sums over all that fit (a Chinese restaurant
process). Scores of both kinds are probabilities of one mixture, so they can be compared.
"""

from collections.abc import Sequence
from dataclasses import replace

from tersely.completion.containing import contains, contains_each
from tersely.completion.memory import Memory, Remembered
from tersely.completion.query import Typed
from tersely.completion.suggestion import Suggestion
from tersely.text.tokens import SHIFT, tokenise

NEWNESS = 0.5  # κ, in uses
PULL = 1.0  # a sentence of which a third was typed counts a third of one that was typed in full


def with_memory(
    memory: Memory, typed: Typed, found: Sequence[Suggestion], *, prefix: bool, free: bool = False
) -> list[Suggestion]:
    """Put remembered sentences among the model's, all by one score."""
    words = [token for token in typed.tokens if token != SHIFT]
    fits = contains_each if free else contains
    remembered = [
        one
        for one in memory.find(words, prefix=prefix, free=free)
        if fits(tokenise(one.text).tokens, typed, prefix=prefix)
    ]
    scores, left = recall(remembered, keywords=len(words))
    mixed = {one.text: replace(one, score=left * one.score) for one in found}
    for text, score in scores.items():
        known = mixed[text].score if text in mixed else 0.0
        tokens = tuple(tokenise(text).tokens)
        mixed[text] = Suggestion(text, score + known, tokens, "memory")
    return sorted(mixed.values(), key=lambda one: -one.score)


def recall(found: Sequence[Remembered], *, keywords: int) -> tuple[dict[str, float], float]:
    """Return each sentence's probability, and what is left for the model's."""
    uses = {one.text: one.times * _fit(one.text, keywords) for one in found}
    total = sum(uses.values()) + NEWNESS
    return {text: count / total for text, count in uses.items()}, NEWNESS / total


def _fit(text: str, keywords: int) -> float:
    words = [token for token in tokenise(text).tokens if token != SHIFT]
    return float((keywords / max(1, len(words), keywords)) ** PULL)
