"""Readings: what an unfinished last word may become.

"10 min la" may go on as late, later or last. Each is a reading of its own; how likely it is
tells the model, from how well its sentences go with the words before.
"""

from bisect import bisect_left
from dataclasses import replace

from tersely.completion.query import Typed
from tersely.completion.ranking import Reading
from tersely.text.keywords import is_punctuation
from tersely.text.tokens import SHIFT
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary

MOST = 8
AS_IT_STANDS = 2.0  # a word that is one already is rather meant as such


class Finisher:
    """Finds how a word may go on; frequent words first."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        special = {*SPECIAL_TOKENS, SHIFT}
        words = [
            (token, rank)
            for rank, token in enumerate(vocabulary.tokens)
            if token not in special and not is_punctuation(token)
        ]
        self._by_name = sorted(words)
        self._vocabulary = vocabulary

    def readings(self, typed: Typed, unwanted: frozenset[str] = frozenset()) -> list[Reading]:
        """The words as they stand, if they can, and with the last one finished."""
        as_it_stands = Reading(typed, AS_IT_STANDS)
        if not typed.tokens or is_punctuation(typed.tokens[-1]) or typed.tokens[-1] == SHIFT:
            return [as_it_stands]
        last = typed.tokens[-1]
        longer = [
            word
            for word in self._beginning_with(last)
            if word != last and word.lower() not in unwanted
        ][:MOST]
        readings = [Reading(replace(typed, tokens=(*typed.tokens[:-1], word))) for word in longer]
        if last in self._vocabulary or not longer:
            readings.insert(0, as_it_stands)
        return readings

    def _beginning_with(self, start: str) -> list[str]:
        first = bisect_left(self._by_name, (start, -1))
        found = []
        for word, rank in self._by_name[first:]:
            if not word.startswith(start):
                break
            found.append((rank, word))
        return [word for _, word in sorted(found)]
