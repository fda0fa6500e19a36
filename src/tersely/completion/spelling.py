"""Spelling: words nobody knows, and the known ones they may have been meant for.

A word outside the vocabulary may be a name or a slip. It stays as typed; what it may be
read as is offered beside. Edits are insertions, deletions, substitutions and swaps of
neighbours (optimal string alignment, by rapidfuzz).
"""

from dataclasses import replace
from itertools import islice, product

from tersely.completion.query import Typed
from tersely.completion.ranking import Reading
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary

SHORTEST = 3
LONG = 7  # words from here on may have two slips in them
MOST_A_WORD = 3
MOST_READINGS = 6
MOST_ODD = 8  # more unknown words than these are no slips


class Speller:
    """Finds what misspelt words may be read as."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._words = [
            token if token.isalpha() and token not in SPECIAL_TOKENS else ""
            for token in vocabulary.tokens
        ]

    def readings(self, typed: Typed) -> list[Reading]:
        """The keywords with every misspelt word read as a known one; none if there is none."""
        if sum(map(self.is_odd, typed.tokens)) > MOST_ODD:
            return []
        choices = [
            self.nearest(token) or [token] if self.is_odd(token) else [token]
            for token in typed.tokens
        ]
        found = []
        for tokens in islice(product(*choices), MOST_READINGS):
            pairs = zip(typed.tokens, tokens, strict=True)
            changed = tuple((before, after) for before, after in pairs if before != after)
            if changed:
                found.append(Reading(replace(typed, tokens=tokens), corrected=changed))
        return found

    def is_odd(self, token: str) -> bool:
        """Whether a token may be a slip: an unknown word of letters, not all capitals."""
        is_word = token.isalpha() and len(token) >= SHORTEST and not token.isupper()
        return is_word and token not in self._vocabulary

    def nearest(self, word: str) -> list[str]:
        """The known words fewest slips away, the more frequent first."""
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        most = 2 if len(word) >= LONG else 1
        near = process.extract(
            word.lower(), self._words, scorer=OSA.distance, score_cutoff=most, limit=None
        )
        ranked = sorted((slips, number, token) for token, slips, number in near if len(token) > 1)
        return [token for slips, _, token in ranked if slips == ranked[0][0]][:MOST_A_WORD]
