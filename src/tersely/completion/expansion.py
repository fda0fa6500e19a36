"""Expansion: the queries that typed keywords may mean.

An unfinished last word has several completions, a misspelt word several candidates, and keywords
in free order several permutations. Each is an expansion: a query to search for. ranking.py ranks
their sentences together.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

import numpy as np
import numpy.typing as npt

from tersely.completion.query import Query
from tersely.text.alignment import Phrase
from tersely.text.keywords import is_punctuation
from tersely.text.tokens import SHIFT
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary

MAX_COMPLETIONS = 8
WHOLE_WORD_WEIGHT = 2.0  # a prefix that is a word itself is more likely meant as that word

MIN_CORRECTED_LETTERS = 3
TWO_EDIT_LETTERS = 7  # words of at least this many letters may have two edits
MAX_CANDIDATES_PER_WORD = 3
MAX_CORRECTIONS = 6
MAX_UNKNOWN_WORDS = 8  # with more unknown words than this, they are not slips

MAX_ENUMERATED_ORDERS = 24
MAX_CLIMBING_STEPS = 4
MAX_ORDERS = 4


@dataclass(frozen=True, slots=True)
class Expansion:
    """A query that the keywords may mean."""

    query: Query
    weight: float = 1.0
    """Prior weight relative to the other expansions."""
    corrected: tuple[tuple[str, str], ...] = ()
    """Corrected words: as typed, and the correction."""


class PrefixCompleter:
    """Completes an unfinished last word from the vocabulary, frequent words first."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        special = {*SPECIAL_TOKENS, SHIFT}
        self._vocabulary = vocabulary
        self._sorted_words = sorted(
            (token, rank)
            for rank, token in enumerate(vocabulary.tokens)
            if token not in special and not is_punctuation(token)
        )

    def expand(self, query: Query, forbidden: frozenset[str] = frozenset()) -> list[Expansion]:
        """Return the query with its last word completed; also as typed if that is a word."""
        as_typed = Expansion(replace(query, has_prefix=False), WHOLE_WORD_WEIGHT)
        if not query.tokens or is_punctuation(query.tokens[-1]) or query.tokens[-1] == SHIFT:
            return [as_typed]
        prefix = query.tokens[-1]
        words = [
            word
            for word in self._words_with_prefix(prefix)
            if word != prefix and word.lower() not in forbidden
        ][:MAX_COMPLETIONS]
        expansions = [
            Expansion(replace(query, tokens=(*query.tokens[:-1], word), has_prefix=False))
            for word in words
        ]
        if prefix in self._vocabulary or not words:
            expansions.insert(0, as_typed)
        return expansions

    def _words_with_prefix(self, prefix: str) -> list[str]:
        start = bisect_left(self._sorted_words, (prefix, -1))
        ranked = []
        for word, rank in self._sorted_words[start:]:
            if not word.startswith(prefix):
                break
            ranked.append((rank, word))
        return [word for _, word in sorted(ranked)]


class SpellingCorrector:
    """Finds known words that an unknown one may be a misspelling of.

    Edits are insertions, deletions, substitutions and transpositions of neighbours (optimal string
    alignment, by rapidfuzz).
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._words = [
            token if token.isalpha() and token not in SPECIAL_TOKENS else ""
            for token in vocabulary.tokens
        ]

    def expand(self, query: Query) -> list[Expansion]:
        """Return the query with its misspelt words corrected; nothing if none can be."""
        if sum(map(self.may_be_misspelt, query.tokens)) > MAX_UNKNOWN_WORDS:
            return []
        candidates = [
            self.candidates(token) or [token] if self.may_be_misspelt(token) else [token]
            for token in query.tokens
        ]
        expansions = []
        for tokens in islice(product(*candidates), MAX_CORRECTIONS):
            pairs = zip(query.tokens, tokens, strict=True)
            corrected = tuple(
                (typed, correction) for typed, correction in pairs if typed != correction
            )
            if corrected:
                expansions.append(Expansion(replace(query, tokens=tokens), corrected=corrected))
        return expansions

    def may_be_misspelt(self, token: str) -> bool:
        """Return whether a token is an unknown word of letters, not all of them capitals."""
        is_word = token.isalpha() and len(token) >= MIN_CORRECTED_LETTERS and not token.isupper()
        return is_word and token not in self._vocabulary

    def candidates(self, word: str) -> list[str]:
        """Return the known words with the fewest edits, the more frequent first."""
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        max_edits = 2 if len(word) >= TWO_EDIT_LETTERS else 1
        matches = process.extract(
            word.lower(), self._words, scorer=OSA.distance, score_cutoff=max_edits, limit=None
        )
        ranked = sorted((edits, rank, known) for known, edits, rank in matches if len(known) > 1)
        nearest = [known for edits, _, known in ranked if edits == ranked[0][0]]
        return nearest[:MAX_CANDIDATES_PER_WORD]


PhraseSequence = tuple[Phrase, ...]
Losses = Callable[[Sequence[Query]], npt.NDArray[np.float64]]
OrderLosses = Callable[[Sequence[PhraseSequence]], npt.NDArray[np.float64]]


def likeliest_orders(
    query: Query, extra: Sequence[Phrase], *, free: bool, losses: Losses
) -> list[Query]:
    """Return the likeliest orders of the keywords and the extra phrases, best first.

    With `free` every permutation is possible; otherwise the keywords keep their order, and only
    the extra phrases move. Phrases stay together, and a sentence ending stays at the end. A few
    orders are all scored; of many, one is improved by hill climbing.

    `losses` returns the loss of each order. An infinite loss means that there was no time to score
    it; such an order is returned only if none was scored.
    """
    phrases = query.phrases()
    ending = [phrases.pop()] if query.has_ending and phrases else []
    fixed, moving = ([], [*phrases, *extra]) if free else (phrases, list(extra))
    if not moving:
        return [query]

    def as_query(order: PhraseSequence) -> Query:
        return Query.from_phrases([*order, *ending], has_ending=bool(ending))

    def order_losses(orders: Sequence[PhraseSequence]) -> npt.NDArray[np.float64]:
        return losses([as_query(order) for order in orders])

    orders = _enumerate_orders(fixed, moving)
    loss_of = (
        _score(orders, order_losses)
        if orders
        else _climb((*fixed, *moving), len(fixed), order_losses)
    )
    ranked = sorted(loss_of, key=lambda order: loss_of[order])
    scored = [order for order in ranked[:MAX_ORDERS] if loss_of[order] < np.inf]
    return [as_query(order) for order in scored or ranked[:1]]


def _score(orders: Sequence[PhraseSequence], losses: OrderLosses) -> dict[PhraseSequence, float]:
    return dict(zip(orders, losses(orders).tolist(), strict=True))


def _enumerate_orders(fixed: Sequence[Phrase], moving: Sequence[Phrase]) -> list[PhraseSequence]:
    """Return every order; nothing if there are too many."""
    if len(fixed) + len(moving) > MAX_ENUMERATED_ORDERS:
        return []
    orders = list(islice(_interleave(fixed, moving), MAX_ENUMERATED_ORDERS + 1))
    return orders if len(orders) <= MAX_ENUMERATED_ORDERS else []


def _interleave(fixed: Sequence[Phrase], moving: Sequence[Phrase]) -> Iterator[PhraseSequence]:
    """Yield every order of the moving phrases among the fixed ones, each once."""
    if not fixed and not moving:
        yield ()
        return
    if fixed:
        for rest in _interleave(fixed[1:], moving):
            yield (fixed[0], *rest)
    for phrase in dict.fromkeys(moving):
        # A moving phrase equal to the next fixed one gives the same order before and after it.
        if not fixed or phrase != fixed[0]:
            index = moving.index(phrase)
            for rest in _interleave(fixed, [*moving[:index], *moving[index + 1 :]]):
                yield (phrase, *rest)


def _climb(start: PhraseSequence, n_fixed: int, losses: OrderLosses) -> dict[PhraseSequence, float]:
    """Move one phrase at a time to where the loss is lowest, until nothing improves."""
    loss_of = _score([start], losses)
    best, best_indices = start, tuple(range(len(start)))
    for _ in range(MAX_CLIMBING_STEPS):
        neighbours: dict[PhraseSequence, tuple[int, ...]] = {}
        for indices in islice(_moves(best_indices, n_fixed), 20 * MAX_ENUMERATED_ORDERS):
            neighbours.setdefault(tuple(start[index] for index in indices), indices)
        unscored = [order for order in neighbours if order not in loss_of]
        unscored = unscored[: 2 * MAX_ENUMERATED_ORDERS]
        if not unscored:
            break
        loss_of.update(_score(unscored, losses))
        nearest = min(unscored, key=lambda order: loss_of[order])
        if loss_of[nearest] >= loss_of[best]:
            break
        best, best_indices = nearest, neighbours[nearest]
    return loss_of


def _moves(indices: tuple[int, ...], n_fixed: int) -> Iterator[tuple[int, ...]]:
    """Yield the indices with one of them moved, none below `n_fixed`; short moves first."""
    for distance in range(1, len(indices)):
        for left in range(len(indices) - distance):
            for origin, target in ((left, left + distance), (left + distance, left)):
                if indices[origin] >= n_fixed:
                    rest = [*indices[:origin], *indices[origin + 1 :]]
                    yield (*rest[:target], indices[origin], *rest[target:])
