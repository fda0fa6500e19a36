"""Search: from "how likely is each next word" to whole sentences.

Works over anything that can begin and step; knows neither weights nor words. With the
guarantee on, a sentence ends only once it contains the keywords in the order given.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from tersely.model.next_words import NextWords
from tersely.model.rows import Ids
from tersely.text.vocab import BOS_ID, EOS_ID, PAD_ID, SHIFT_ID, UNK_ID

Floats = npt.NDArray[np.float32]
BARRED = np.float32(-np.inf)


class Steppable(Protocol):
    """A state of decoding whose rows can be taken."""

    def take(self, rows: Ids) -> "Steppable":
        """Keep, repeat or reorder rows."""
        ...


StateT = TypeVar("StateT", bound=Steppable)


class Step(Protocol[StateT]):
    """Says the last words, tells what comes next."""

    def __call__(self, state: StateT, last: Ids) -> tuple[StateT, NextWords]:
        """Map last (rows,) to how likely each next word is."""
        ...


@dataclass(frozen=True, slots=True)
class Found:
    """A sentence found: its ids without the end mark, and log p(x|z)."""

    ids: tuple[int, ...]
    log_probability: float


def greedy(step: Step[StateT], state: StateT, *, rows: int, max_tokens: int) -> list[Found]:
    """Take the likeliest word each time, as the paper does: no constraint, nothing barred.

    After `max_tokens` words a sentence ends.
    """
    last = np.full(rows, BOS_ID, np.int64)
    said: list[list[int]] = [[] for _ in range(rows)]
    totals = np.zeros(rows, np.float64)
    live = np.arange(rows)
    for spent in range(max_tokens + 1):
        state, coming = step(state, last)
        if spent < max_tokens:
            best, scores = _likeliest(*coming.best(1))
        else:
            best = np.full(len(live), EOS_ID)
            scores = coming.of(best)
        totals[live] += scores
        goes_on = best != EOS_ID
        for row, word in zip(live[goes_on], best[goes_on], strict=True):
            said[row].append(int(word))
        live, last = live[goes_on], best[goes_on]
        if not len(live):
            break
        state = _take(state, np.flatnonzero(goes_on))
    return [Found(tuple(ids), float(total)) for ids, total in zip(said, totals, strict=True)]


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


@dataclass(slots=True)
class _Live:
    """Hypotheses not yet ended, of all sentences; dead rows have a score of −∞."""

    ids: list[list[tuple[int, ...]]]  # [sentence][beam]
    scores: npt.NDArray[np.float64]  # (sentences, beam)
    placed: Ids  # (sentences, beam): keywords said so far
    ended: list[list[Found]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Keywords of all sentences, side by side."""

    wanted: Ids  # (sentences, keywords); −1 where there are fewer
    counts: Ids  # (sentences,)
    glued: npt.NDArray[np.bool_]  # (sentences, keywords + 1)

    @classmethod
    def of(
        cls, keywords: Sequence[Sequence[int]], glued: Sequence[Sequence[bool]] | None
    ) -> "_Asked":
        counts = np.array([len(row) for row in keywords], np.int64)
        wanted = np.full((len(keywords), max(1, int(counts.max(initial=0)))), -1, np.int64)
        together = np.zeros((len(keywords), wanted.shape[1] + 1), np.bool_)
        for index, row in enumerate(keywords):
            wanted[index, : len(row)] = row
            if glued is not None:
                together[index, : len(row) + 1] = glued[index]
        return cls(wanted, counts, together)

    def following(self, placed: Ids) -> Ids:
        """The next keyword of each row: (sentences × beam,)."""
        inside = np.minimum(placed, self.wanted.shape[1] - 1)
        return np.take_along_axis(self.wanted, inside, axis=1).ravel()


def beam_search(
    step: Step[StateT],
    state: StateT,
    keywords: Sequence[Sequence[int]],
    beam: Beam,
    glued: Sequence[Sequence[bool]] | None = None,
) -> list[list[Found]]:
    """Find the likeliest sentences for each row of keywords, best first.

    `glued` tells of each keyword, and of the end, whether it must directly follow the
    keyword before it; a case mark may come between.
    """
    sentences, width = len(keywords), beam.width
    asked = _Asked.of(keywords, glued)
    counts = asked.counts
    # A row's limit depends on its own keywords alone, not on the company it is searched in.
    limits = np.maximum(beam.max_tokens, counts + beam.spare_tokens)
    live = _Live(
        ids=[[()] * width for _ in range(sentences)],
        scores=np.full((sentences, width), -np.inf),
        placed=np.zeros((sentences, width), np.int64),
        ended=[[] for _ in range(sentences)],
    )
    live.scores[:, 0] = 0.0
    state = _take(state, np.repeat(np.arange(sentences), width))
    last = np.full(sentences * width, BOS_ID, np.int64)
    for spent in range(int(limits.max(initial=0)) + 1):
        state, coming = step(state, last)
        candidates = _candidates(coming, last, live, asked, limits - spent, beam)
        parents, last = _advance(*candidates, live, asked, beam)
        state = _take(state, parents)
        if all(_is_settled(live, sentence, beam) for sentence in range(sentences)):
            break
    return [_distinct(found, beam)[: beam.count] for found in live.ended]


def _candidates(
    coming: NextWords, last: Ids, live: _Live, asked: _Asked, left: Ids, beam: Beam
) -> tuple[Ids, Floats]:
    """Words that may be said now, and their log-probabilities; `left` words may still come."""
    ids, scores = coming.best(2 * beam.width + len(beam.barred))
    scores = np.where(np.isin(ids, beam.barred), BARRED, scores)
    missing = (asked.counts[:, None] - live.placed).ravel()
    missing = missing if beam.guarantee else np.zeros_like(missing)
    scores[(ids == EOS_ID) & (missing > 0)[:, None]] = BARRED
    # Only as many words are left as keywords are missing: the next one must come now.
    is_short = missing >= np.repeat(left, beam.width)
    is_glued = np.take_along_axis(asked.glued, live.placed, axis=1).ravel() & beam.guarantee
    must = is_short | is_glued
    if must.any():
        only = np.where(missing > 0, asked.following(live.placed), EOS_ID)
        ids, scores = ids.copy(), np.where(must[:, None], BARRED, scores)
        ids[must, 0], scores[must, 0] = only[must], coming.of(only)[must]
        # Within a phrase a word may still get its capital.
        may = is_glued & ~is_short & (missing > 0) & (last != SHIFT_ID) & (only != SHIFT_ID)
        capital = coming.of(np.full(len(ids), SHIFT_ID))
        ids[may, 1], scores[may, 1] = SHIFT_ID, capital[may]
    return ids, scores


def _advance(ids: Ids, scores: Floats, live: _Live, asked: _Asked, beam: Beam) -> tuple[Ids, Ids]:
    """Extend every hypothesis by its best words; return each new row's parent and word."""
    sentences, width = live.scores.shape
    choices = ids.shape[1]
    flat = (live.scores[:, :, None] + scores.reshape(sentences, width, -1)).reshape(sentences, -1)
    words_of = ids.reshape(sentences, -1)
    order = np.argsort(-flat, axis=1, kind="stable")
    parents = np.repeat(np.arange(sentences) * width, width)
    words = np.full(sentences * width, EOS_ID, np.int64)
    new_ids, new_scores = [], np.full_like(live.scores, -np.inf)
    new_placed = np.zeros_like(live.placed)
    for sentence in range(sentences):
        rows: list[tuple[int, ...]] = []
        alike: Counter[tuple[int, ...]] = Counter()
        for candidate in order[sentence].tolist():
            score = flat[sentence, candidate]
            if score == -np.inf or len(rows) == width:
                break
            parent, word = candidate // choices, int(words_of[sentence, candidate])
            said = live.ids[sentence][parent]
            if word == EOS_ID:
                live.ended[sentence].append(Found(said, float(score)))
                continue
            placed = int(live.placed[sentence, parent])
            if placed < asked.counts[sentence] and asked.wanted[sentence, placed] == word:
                placed += 1
            if beam.silent:
                heard = _heard((*said, word), beam)
                alike[heard] += 1
                if alike[heard] > beam.alike:
                    continue
            at = len(rows)
            rows.append((*said, word))
            new_scores[sentence, at], new_placed[sentence, at] = score, placed
            parents[sentence * width + at] = sentence * width + parent
            words[sentence * width + at] = word
        new_ids.append(rows + [()] * (width - len(rows)))
    live.ids, live.scores, live.placed = new_ids, new_scores, new_placed
    return parents, words


def _likeliest(ids: Ids, scores: Floats) -> tuple[Ids, Floats]:
    """The best of each row's candidates."""
    rows, place = np.arange(len(ids)), scores.argmax(axis=1)
    return ids[rows, place], scores[rows, place]


def _is_settled(live: _Live, sentence: int, beam: Beam) -> bool:
    """Scores only fall, so what is worse than the last wanted sentence can stop."""
    best = live.scores[sentence].max()
    if best == -np.inf:
        return True
    if len(live.ended[sentence]) < beam.count:
        return False
    ended = _distinct(live.ended[sentence], beam)
    return len(ended) >= beam.count and ended[beam.count - 1].log_probability >= best


def _distinct(found: Sequence[Found], beam: Beam) -> list[Found]:
    """Best first; of those that differ in silent ids alone, the first."""
    kept: dict[tuple[int, ...], Found] = {}
    for one in sorted(found, key=lambda one: -one.log_probability):
        kept.setdefault(_heard(one.ids, beam), one)
    return list(kept.values())


def _heard(ids: tuple[int, ...], beam: Beam) -> tuple[int, ...]:
    """What is left without silent ids."""
    return tuple(word for word in ids if word not in beam.silent)


def _take(state: StateT, rows: Ids) -> StateT:
    return state.take(rows)  # type: ignore[return-value]
