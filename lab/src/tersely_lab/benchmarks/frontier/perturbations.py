"""Perturbed keywords: the same words in order, shuffled, and with a spelling error.

The keywords of a sentence are those the model's encoder chooses, without case marks and
punctuation, which people do not type.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tersely.completion.completer import Completer
from tersely.completion.suggestion import Suggestion
from tersely.text.keywords import is_punctuation
from tersely.text.tokens import SHIFT, tokenise
from tersely.text.vocabulary import Vocabulary

MIN_MISSPELT_LETTERS = 4
"""Shorter words are not misspelt."""


@dataclass(frozen=True, slots=True)
class Example:
    """The tokens of a sentence, and its keywords."""

    tokens: tuple[str, ...]
    keywords: tuple[str, ...]


Complete = Callable[[Example], Sequence[Suggestion]]


def measure(completer: Completer, sentences: Sequence[str], *, seed: int = 1) -> dict[str, Any]:
    """Return the share of sentences that are the first suggestion, and among all suggestions."""
    rng = random.Random(seed)
    candidates = (_example(completer, text) for text in sentences)
    examples = [example for example in candidates if example.keywords]
    shuffled = {
        example: tuple(rng.sample(example.keywords, len(example.keywords))) for example in examples
    }
    vocabulary = completer.runtime.vocabulary
    misspelt = {
        example: keywords
        for example in examples
        if (keywords := misspell(example.keywords, vocabulary, rng))
    }

    def corrected(example: Example) -> list[Suggestion]:
        suggestions = completer.complete(" ".join(misspelt[example]), corrections=True)
        return sorted(suggestions, key=lambda suggestion: not suggestion.corrected)

    def complete(typed: Callable[[Example], Sequence[str]], **options: Any) -> Complete:
        return lambda example: completer.complete(" ".join(typed(example)), **options)

    in_order = complete(lambda example: example.keywords)
    return {
        "in their order": _accuracy(examples, in_order),
        "shuffled, order free": _accuracy(examples, complete(shuffled.__getitem__, order="free")),
        "shuffled, read in order": _accuracy(examples, complete(shuffled.__getitem__)),
        "in their order, of sentences with a word to misspell": _accuracy([*misspelt], in_order),
        "misspelt, the corrected reading first": _accuracy([*misspelt], corrected),
        "misspelt, as typed": _accuracy([*misspelt], complete(misspelt.__getitem__)),
    }


def _example(completer: Completer, text: str) -> Example:
    keywords = completer.keywords(text).keywords
    return Example(
        tuple(tokenise(text).tokens),
        tuple(word for word in keywords if word != SHIFT and not is_punctuation(word)),
    )


def _accuracy(examples: Sequence[Example], complete: Complete) -> dict[str, Any]:
    first = shown = 0
    for example in examples:
        is_exact = [suggestion.tokens == example.tokens for suggestion in complete(example)]
        first += any(is_exact[:1])
        shown += any(is_exact)
    count = max(1, len(examples))
    return {"sentences": len(examples), "first": first / count, "shown": shown / count}


def misspell(
    words: Sequence[str], vocabulary: Vocabulary, rng: random.Random
) -> tuple[str, ...] | None:
    """Swap two letters of the longest word, or leave out or repeat one.

    Return None if that word is short, not alphabetic or not in the vocabulary, or if the
    misspelling is a word of the vocabulary.
    """
    position = max(range(len(words)), key=lambda position: len(words[position]))
    word = words[position]
    if len(word) < MIN_MISSPELT_LETTERS or not word.isalpha() or word not in vocabulary:
        return None
    at = rng.randrange(1, len(word) - 1)
    candidates = [
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
    ]
    misspelling = rng.choice(candidates)
    if misspelling in vocabulary or misspelling == word:
        return None
    return (*words[:position], misspelling, *words[position + 1 :])
