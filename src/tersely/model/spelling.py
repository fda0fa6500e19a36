"""Spelling: words nobody knows, and the known ones they may have been meant for.

A word outside the vocabulary may be a name or a slip. It stays as typed; what it may be
read as is offered beside. Edits are insertions, deletions, substitutions and swaps of
neighbours (optimal string alignment, by rapidfuzz).
"""

from dataclasses import replace
from itertools import islice, product

from tersely.model.typed import Typed
from tersely.text.vocab import SPECIAL_TOKENS, Vocabulary

SHORTEST = 3
LONG = 7  # words from here on may have two slips in them
MOST_A_WORD = 3
MOST_READINGS = 6


class Speller:
    """Finds what misspelt words may be read as."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._words = [
            token if token.isalpha() and token not in SPECIAL_TOKENS else ""
            for token in vocabulary.tokens
        ]

    def readings(self, typed: Typed) -> list[tuple[Typed, tuple[tuple[str, str], ...]]]:
        """The keywords with every misspelt word read as a known one; none if all are known."""
        choices = [
            self.nearest(token) or [token] if self.is_odd(token) else [token]
            for token in typed.tokens
        ]
        found = []
        for tokens in islice(product(*choices), MOST_READINGS):
            pairs = zip(typed.tokens, tokens, strict=True)
            changed = tuple((before, after) for before, after in pairs if before != after)
            if changed:
                found.append((replace(typed, tokens=tokens), changed))
        return found

    def is_odd(self, token: str) -> bool:
        """Whether a token may be a slip: an unknown word of letters, not all capitals."""
        is_word = token.isalpha() and len(token) >= SHORTEST and not token.isupper()
        return is_word and token not in self._vocabulary

    def nearest(self, word: str) -> list[str]:
        """Known words a slip or two away, nearest first, then the more frequent."""
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        slips = 2 if len(word) >= LONG else 1
        near = process.extract(
            word.lower(), self._words, scorer=OSA.distance, score_cutoff=slips, limit=None
        )
        ranked = sorted((slip, number, token) for token, slip, number in near if len(token) > 1)
        return [token for _, _, token in ranked[:MOST_A_WORD]]
