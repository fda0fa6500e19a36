"""Which candidates a beam follows, in NumPy; beam.h says the same in C."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tersely.runtime.kernels.plain import Floats, Ids

Bools = npt.NDArray[np.bool_]
Doubles = npt.NDArray[np.float64]
Heard = npt.NDArray[np.uint64]
FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, and its bits are well mixed


@dataclass(frozen=True, slots=True)
class Field:
    """Every word that may come after every hypothesis, of some sentences at once."""

    scores: Floats  # (rows, choices): log-probability, −∞ of what may not come
    words: Ids  # (rows, choices)
    so_far: Doubles  # (rows,): log-probability of the hypothesis
    heard: Heard  # (rows,): a number for what it has said, silent words left out
    placed: Ids  # (rows,): keywords it has said
    keyword: Ids  # (rows,): the one that would be next
    may_end: Bools  # (rows,): whether the sentence may be over
    is_silent: Bools  # (ids,): words that make no difference; those beyond are heard
    is_barred: Bools  # (ids,): words that may not come; those beyond may
    starts: Ids  # (sentences + 1,): where the rows of each begin; where the last ends
    is_marked: Bools  # (sentences,): whether a row is kept for the hypothesis that has placed most


@dataclass(frozen=True, slots=True)
class Followed:
    """What goes on, sentence by sentence, best first; and what ends one."""

    sizes: Ids  # (sentences,): how many of each go on
    row: Ids  # (going,): the hypothesis it goes on from
    word: Ids
    placed: Ids
    score: Doubles
    heard: Heard
    ended_row: Ids  # (ending,)
    ended_score: Doubles


class _Ranked(NamedTuple):
    """Candidates of each sentence, best first: (sentences, candidates) each."""

    score: Doubles
    row: Ids
    word: Ids
    heard: Heard
    placed: Ids


def follow(field: Field, *, width: int, alike: int, end: int) -> Followed:
    """Choose the best `width` candidates of each sentence to go on with.

    At most `alike` of them sound alike. The word `end` ends a sentence, if it comes before they
    are full. Where a row is kept, the last gives way to the best that has placed more than all.
    """
    ranked = _ranked(field, end)
    is_possible, is_end = ranked.score > -np.inf, ranked.word == end
    may_go_on = is_possible & ~is_end
    goes_on = may_go_on & (_earlier_alike(ranked.heard, may_go_on) < alike)
    is_early = np.cumsum(goes_on, axis=1) - goes_on < width
    goes_on &= is_early
    _keep_a_row(ranked.placed, goes_on, may_go_on & ~is_early & field.is_marked[:, None])
    ends = is_possible & is_end & is_early
    return Followed(
        goes_on.sum(axis=1),
        ranked.row[goes_on],
        ranked.word[goes_on],
        ranked.placed[goes_on],
        ranked.score[goes_on],
        ranked.heard[goes_on],
        ranked.row[ends],
        ranked.score[ends],
    )


def _earlier_alike(heard: Heard, counts: Bools) -> Ids:
    """How many that count come earlier in the row and sound the same: (sentences, candidates)."""
    order = np.argsort(heard, axis=1, kind="stable")  # alike stand together, in their order
    sound = np.take_along_axis(heard, order, axis=1)
    counted = np.take_along_axis(counts, order, axis=1)
    before: Ids = np.cumsum(counted, axis=1) - counted
    is_first = np.ones(sound.shape, np.bool_)
    is_first[:, 1:] = sound[:, 1:] != sound[:, :-1]
    before -= np.maximum.accumulate(np.where(is_first, before, 0), axis=1)
    found: Ids = np.empty_like(before)
    np.put_along_axis(found, order, before, axis=1)
    return found


def _ranked(field: Field, end: int) -> _Ranked:
    sizes = np.diff(field.starts)
    most, choices = int(sizes.max(initial=0)), field.words.shape[1]
    slot = np.arange(most * choices)
    row = np.minimum(field.starts[:-1, None] + slot // choices, len(field.words) - 1)
    choice = slot % choices
    score, word = field.so_far[row] + field.scores[row, choice], field.words[row, choice]
    may_come = np.where(word == end, field.may_end[row], ~listed(field.is_barred, word))
    may_come &= slot // choices < sizes[:, None]
    score = np.where(may_come, score, -np.inf)
    order = np.argsort(-score, axis=1, kind="stable")
    sentence = np.arange(len(sizes))[:, None]
    row, word, score = row[sentence, order], word[sentence, order], score[sentence, order]
    is_silent = listed(field.is_silent, word)
    heard = np.where(is_silent, field.heard[row], _hear(field.heard[row], word))
    return _Ranked(score, row, word, heard, field.placed[row] + (field.keyword[row] == word))


def listed(table: Bools, words: Ids) -> Bools:
    """Whether words are in a table of ids; those beyond are not."""
    return np.append(table, False)[np.minimum(words, len(table))]


def _hear(heard: Heard, words: Ids) -> Heard:
    spoken: Heard = (heard ^ words.astype(np.uint64)) * FACTOR + FACTOR
    return spoken ^ (spoken >> np.uint64(29))


def _keep_a_row(placed: Ids, goes_on: Bools, late: Bools) -> None:
    furthest = np.where(goes_on, placed, -1).max(axis=1, initial=-1)
    is_further = late & (placed > furthest[:, None])
    sentence = np.flatnonzero(is_further.any(axis=1))
    last = goes_on.shape[1] - 1 - goes_on[sentence, ::-1].argmax(axis=1)
    goes_on[sentence, last] = False
    goes_on[sentence, is_further[sentence].argmax(axis=1)] = True
