"""Beam search: from "how likely is each next word" to whole sentences.

Works over anything that can begin and step; knows neither weights nor words. With the
guarantee on, a sentence ends only once it contains the keywords in the order given.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tersely.decoding.constraints import Asked, Wanted
from tersely.decoding.hypotheses import Live, Story
from tersely.decoding.step import Found, StateT, Step, take
from tersely.runtime.arrays import Ids
from tersely.runtime.kernels.beam import Field, listed
from tersely.runtime.kernels.chosen import follow
from tersely.runtime.next_token import NextWords, Rivals
from tersely.text.vocabulary import BOS_ID, EOS_ID, PAD_ID, SHIFT_ID, UNK_ID

Floats = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]
BARRED = np.float32(-np.inf)
SLACK = 1e-3  # nats; scores are added up in float32 where little depends on it


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
    hunt = _Hunt(wanted, beam)
    live = Live.start(np.full(len(wanted), BOS_ID, np.int64) if last is None else last)
    while len(live.sentences):
        if is_late():
            hunt.cut_short(live)
            break
        state, coming = step(state, live.last)
        live, parents = hunt.advance(live, coming)
        state = take(state, parents)
    return hunt.story.found()


class _Hunt:
    """The search for some sentences at once."""

    def __init__(self, wanted: Sequence[Wanted], beam: Beam) -> None:
        self.beam = beam
        self.asked = Asked.of(wanted, guarantee=beam.guarantee)
        # The limit depends on a sentence's own keywords alone, not on its company.
        self.left = np.maximum(beam.max_tokens, self.asked.words + beam.spare_tokens)
        self.story = Story(len(wanted), beam.count)
        self._is_marked = self.asked.has_capital
        self._may_end = EOS_ID not in beam.barred
        listed = np.zeros((2, 1 + max(*beam.silent, *beam.barred, 0, 0)), np.bool_)
        listed[0, list(beam.silent)] = True
        listed[1, list(beam.barred)] = True
        self._is_silent, self._is_barred = listed

    def advance(self, live: Live, coming: NextWords) -> tuple[Live, Ids]:
        """Extend every hypothesis by its best words; tell each new one's parent.

        What is no better than the last wanted sentence is given up: scores only fall.
        """
        alike = self.beam.alike if self.beam.silent else self.beam.width
        found = follow(self._field(live, coming), width=self.beam.width, alike=alike, end=EOS_ID)
        for row, score in zip(found.ended_row.tolist(), found.ended_score.tolist(), strict=True):
            self.story.end(int(live.sentence[row]), row, score, int(live.heard[row]))
        self.left -= 1
        fresh, parents = live.after(found), found.row
        can_win = self._can_win(fresh)
        if not can_win.all():
            fresh, parents = fresh.of_rows(can_win), parents[can_win]
        self.story.go_on(parents, fresh.last)
        return fresh, parents

    def _field(self, live: Live, coming: NextWords) -> Field:
        """What may be said now."""
        given_up = self.story.worst_wanted[live.sentences] - SLACK
        so_far = live.score.astype(np.float32)
        rivals = Rivals(so_far, live.groups, given_up.astype(np.float32))
        words, scores = coming.best(2 * self.beam.width + len(self.beam.barred), rivals)
        at = live.sentence, live.placed
        needed = self.asked.needed[at]
        # Only as many words are left as must still come: the next one must come now.
        is_short, is_glued = needed >= self.left[live.sentence], self.asked.glued[at]
        must = is_short | is_glued
        lacks_mark = self.asked.capital[at] & (live.last != SHIFT_ID)
        following = self.asked.following[at]
        if lacks_mark.any():
            is_early = lacks_mark[:, None] & (words == following[:, None])
            scores = np.where(is_early, BARRED, scores)
        is_barred = self._is_barred
        if must.any():
            following = np.where(lacks_mark, SHIFT_ID, following)
            scores = np.where(listed(is_barred, words), BARRED, scores)
            is_barred = np.zeros_like(is_barred)  # what must come may come, barred or not
            words, scores = _only(words, scores, must, coming, following)
            # Within a phrase a word may still get its capital.
            may = is_glued & ~is_short & (needed > 0)
            may &= (live.last != SHIFT_ID) & (following != SHIFT_ID)
            capital = coming.of(np.full(len(words), SHIFT_ID)) if may.any() else scores[:, 1]
            words[may, 1], scores[may, 1] = SHIFT_ID, capital[may]
        return Field(
            scores,
            words,
            live.score,
            live.heard,
            live.placed,
            self.asked.keywords[at],
            must | (needed == 0) & self._may_end,
            self._is_silent,
            is_barred,
            live.groups.bounds,
            # A keyword that needs a capital seldom comes of itself: a row is kept for it.
            self._is_marked[live.sentences],
        )

    def _can_win(self, live: Live) -> Bools:
        """Whether what is followed may still become one of the wanted sentences: (rows,)."""
        can_win: Bools = live.score > self.story.worst_wanted[live.sentence]
        return can_win

    def cut_short(self, live: Live) -> None:
        """Time is up: unless a sentence was found, end the best with the keywords it lacks.

        Such a sentence was not weighed to its end, so it counts as impossible.
        """
        best = live.groups.bounds[:-1].tolist()
        for sentence, row in zip(live.sentences.tolist(), best, strict=True):
            if not self.story.has_ended(sentence):
                rest = self.asked.rest(sentence, int(live.placed[row]), int(live.last[row]))
                self.story.cut_short(sentence, row, rest)


def _only(
    words: Ids, scores: Floats, must: Bools, coming: NextWords, following: Ids
) -> tuple[Ids, Floats]:
    """In some rows nothing may come but one word."""
    words, scores = words.copy(), np.where(must[:, None], BARRED, scores)
    words[must, 0], scores[must, 0] = following[must], coming.of(following)[must]
    return words, scores
