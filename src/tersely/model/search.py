"""Beam search: from "how likely is each next word" to whole sentences.

Works over anything that can begin and step; knows neither weights nor words. With the
guarantee on, a sentence ends only once it contains the keywords in the order given.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from tersely.model.next_words import NextWords, Rivals
from tersely.model.rows import Ids
from tersely.model.stepping import Found, StateT, Step, take
from tersely.text.vocab import BOS_ID, EOS_ID, PAD_ID, SHIFT_ID, UNK_ID

Floats = npt.NDArray[np.float32]
BARRED = np.float32(-np.inf)


@dataclass(frozen=True, slots=True)
class Beam:
    """How to search with a beam."""

    width: int = 5
    count: int = 3
    max_tokens: int = 24
    spare_tokens: int = 8
    """Many keywords may be completed to this many tokens more than they are."""
    guarantee: bool = True
    barred: tuple[int, ...] = (PAD_ID, UNK_ID, BOS_ID)
    silent: frozenset[int] = frozenset()
    """Ids that make no difference: of sentences that differ in these alone, the best is found."""
    alike: int = 2
    """So many hypotheses that differ in silent ids alone go on, to leave room for others."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The keywords of one sentence, as ids."""

    keywords: Sequence[int]
    glued: Sequence[bool] = ()
    """Of each keyword, and of the end, whether it must directly follow the keyword before it;
    a case mark may come between. None is where this is empty."""
    capital: Sequence[bool] = ()
    """Of each keyword, whether a case mark must stand before it. None where this is empty."""


@dataclass(frozen=True, slots=True)
class _Hypothesis:
    """The beginning of a sentence."""

    ids: tuple[int, ...]
    heard: tuple[int, ...]  # without silent ids
    score: float
    placed: int  # keywords said so far


class _Hunt:
    """The search for one sentence."""

    def __init__(self, wanted: Wanted, beam: Beam) -> None:
        self.keywords, self.beam = wanted.keywords, beam
        self.glued = wanted.glued or [False] * (len(wanted.keywords) + 1)
        self.capital = [*(wanted.capital or [False] * len(wanted.keywords)), False]
        # The limit depends on the sentence's own keywords alone, not on its company.
        self.left = max(beam.max_tokens, len(self.keywords) + sum(self.capital) + beam.spare_tokens)
        self.live = [_Hypothesis((), (), 0.0, 0)]
        self.ended: list[Found] = []

    def missing(self, one: _Hypothesis) -> int:
        """How many keywords must still come."""
        return len(self.keywords) - one.placed if self.beam.guarantee else 0

    def needed(self, one: _Hypothesis) -> int:
        """How many words at least must still come: keywords, and the case marks they ask for."""
        return self.missing(one) and self.missing(one) + sum(self.capital[one.placed :])

    def following(self, one: _Hypothesis) -> int:
        """The keyword that comes next, or the end."""
        return self.keywords[one.placed] if self.missing(one) else EOS_ID

    def lacks_mark(self, one: _Hypothesis) -> bool:
        """Whether a case mark must come before the next keyword can."""
        is_marked = bool(one.ids) and one.ids[-1] == SHIFT_ID
        return bool(self.missing(one)) and self.capital[one.placed] and not is_marked

    def advance(self, ids: Ids, scores: Floats) -> list[int]:
        """Extend every hypothesis by its best words; return each new one's parent.

        What is worse than the last wanted sentence is given up: scores only fall.
        """
        totals = np.array([[one.score] for one in self.live]) + scores  # (live, choices)
        order = np.argsort(-totals, axis=None, kind="stable").tolist()
        flat, words, choices = totals.ravel().tolist(), ids.ravel().tolist(), ids.shape[1]
        fresh: list[_Hypothesis] = []
        parents: list[int] = []
        alike: Counter[tuple[int, ...]] = Counter()
        for candidate in order:
            score = flat[candidate]
            is_full = len(fresh) == self.beam.width
            if score == -np.inf or (is_full and not any(self.capital)):
                break
            parent, word = candidate // choices, words[candidate]
            if word == EOS_ID:
                if not is_full:
                    self.ended.append(Found(self.live[parent].ids, score))
                continue
            one = self._extended(self.live[parent], word, score)
            if is_full:
                # A keyword that needs a capital seldom comes of itself; one row stays for it.
                if one.placed > max(other.placed for other in fresh):
                    fresh[-1], parents[-1] = one, parent
                    break
                continue
            if self.beam.silent:
                alike[one.heard] += 1
                if alike[one.heard] > self.beam.alike:
                    continue
            fresh.append(one)
            parents.append(parent)
        self.live, self.left = fresh, self.left - 1
        return self._unless_settled(parents)

    def _extended(self, one: _Hypothesis, word: int, score: float) -> _Hypothesis:
        is_next = one.placed < len(self.keywords) and self.keywords[one.placed] == word
        heard = one.heard if word in self.beam.silent else (*one.heard, word)
        return _Hypothesis((*one.ids, word), heard, score, one.placed + is_next)

    def _unless_settled(self, parents: list[int]) -> list[int]:
        if self.live and len(self.ended) >= self.beam.count:
            found = self.found()
            if len(found) == self.beam.count and found[-1].log_probability >= self.live[0].score:
                self.live, parents = [], []
        return parents

    def found(self) -> list[Found]:
        """Best first; of those that differ in silent ids alone, the first."""
        kept: dict[tuple[int, ...], Found] = {}
        for one in sorted(self.ended, key=lambda one: -one.log_probability):
            kept.setdefault(tuple(word for word in one.ids if word not in self.beam.silent), one)
        return list(kept.values())[: self.beam.count]

    def cut_short(self) -> None:
        """Time is up: unless a sentence was found, end the best with the keywords it lacks.

        Such a sentence was not weighed to its end, so it counts as impossible.
        """
        if not self.ended and self.live:
            best = self.live[0]
            self.ended.append(Found((*best.ids, *self._rest_of(best)), -np.inf))

    def _rest_of(self, one: _Hypothesis) -> list[int]:
        """The keywords that are missing, with the case marks they ask for."""
        rest: list[int] = []
        for place in range(one.placed, one.placed + self.missing(one)):
            is_marked = not rest and bool(one.ids) and one.ids[-1] == SHIFT_ID
            if self.capital[place] and not is_marked:
                rest.append(SHIFT_ID)
            rest.append(self.keywords[place])
        return rest


def beam_search(
    step: Step[StateT],
    state: StateT,
    wanted: Sequence[Wanted],
    beam: Beam,
    *,
    last: Ids | None = None,
    is_late: Callable[[], bool] = lambda: False,
) -> list[list[Found]]:
    """Find the likeliest sentences for each row of keywords, best first.

    Sentences begin after the words `last`, by default the start mark. Once it is late, the
    best so far is returned.
    """
    hunts = [_Hunt(one, beam) for one in wanted]
    active = hunts
    last = np.full(len(hunts), BOS_ID, np.int64) if last is None else last
    while active:
        if is_late():
            for hunt in active:
                hunt.cut_short()
            break
        state, coming = step(state, last)
        ids, scores = _candidates(coming, last, active, beam)
        parents: list[int] = []
        start = 0
        for hunt in active:
            end = start + len(hunt.live)
            parents += [start + own for own in hunt.advance(ids[start:end], scores[start:end])]
            start = end
        active = [hunt for hunt in active if hunt.live]
        last = np.array([one.ids[-1] for hunt in active for one in hunt.live], np.int64)
        state = take(state, np.array(parents, np.int64))
    return [hunt.found() for hunt in hunts]


def _candidates(
    coming: NextWords, last: Ids, hunts: Sequence[_Hunt], beam: Beam
) -> tuple[Ids, Floats]:
    """Words that may be said now, and their log-probabilities; one row a live hypothesis."""
    so_far = np.array([one.score for hunt in hunts for one in hunt.live], np.float32)
    starts = tuple(accumulate((len(hunt.live) for hunt in hunts), initial=0))
    ids, scores = coming.best(2 * beam.width + len(beam.barred), Rivals(so_far, starts))
    scores = scores.copy()
    for word in beam.barred:
        scores[ids == word] = BARRED
    rows = [(hunt, one) for hunt in hunts for one in hunt.live]
    missing = np.array([hunt.missing(one) for hunt, one in rows])
    scores[(ids == EOS_ID) & (missing > 0)[:, None]] = BARRED
    lacks_mark = np.array([hunt.lacks_mark(one) for hunt, one in rows])
    if lacks_mark.any():
        after = np.array([hunt.following(one) for hunt, one in rows])
        scores[lacks_mark[:, None] & (ids == after[:, None])] = BARRED
    # Only as many words are left as must still come: the next one must come now.
    is_short = np.array([hunt.needed(one) >= hunt.left for hunt, one in rows])
    is_glued = np.array([hunt.glued[one.placed] for hunt, one in rows]) & beam.guarantee
    must = is_short | is_glued
    if must.any():
        only = np.array([hunt.following(one) for hunt, one in rows])
        only[lacks_mark] = SHIFT_ID
        ids, scores = ids.copy(), np.where(must[:, None], BARRED, scores)
        ids[must, 0], scores[must, 0] = only[must], coming.of(only)[must]
        # Within a phrase a word may still get its capital.
        may = is_glued & ~is_short & (missing > 0) & (last != SHIFT_ID) & (only != SHIFT_ID)
        capital = coming.of(np.full(len(ids), SHIFT_ID))
        ids[may, 1], scores[may, 1] = SHIFT_ID, capital[may]
    return ids, scores
