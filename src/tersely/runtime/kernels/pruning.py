"""Beam pruning in NumPy: choose the hypotheses that each sentence's beam continues with.

This is the reference for pruning.c, which does the same in C.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tersely.runtime.arrays import Floats, Ids

Doubles = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
DedupKeys = npt.NDArray[np.uint64]
HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: odd, with well-mixed bits


class Candidates(NamedTuple):
    """All possible next tokens of all live hypotheses; a row is a hypothesis."""

    scores: Floats  # (rows, choices): log-probability of each token, −∞ if it is impossible
    tokens: Ids  # (rows, choices)
    hypothesis_score: Doubles  # (rows,): log-probability of the hypothesis so far
    dedup_key: DedupKeys  # (rows,): hash of its tokens, without ignored ones
    matched: Ids  # (rows,): number of keywords it contains
    next_keyword: Ids  # (rows,)
    may_end: Bools  # (rows,): whether the end token is allowed
    is_ignored: Bools  # (ids,): tokens left out of the deduplication key; ids beyond are not
    is_forbidden: Bools  # (ids,): tokens that are never chosen; ids beyond are allowed
    starts: Ids  # (sentences + 1,): first row of each sentence, and the number of rows
    reserves_slot: Bools  # (sentences,): whether the last slot may go to the most matched keywords


class Pruned(NamedTuple):
    """The candidates that continue, by sentence and best first; and those that end one."""

    sizes: Ids  # (sentences,): number of candidates that continue
    row: Ids  # (continuing,): the hypothesis that is extended
    token: Ids
    matched: Ids
    score: Doubles
    dedup_key: DedupKeys
    ended_row: Ids  # (ending,)
    ended_score: Doubles


class _Ranked(NamedTuple):
    """Candidates of each sentence, best first: (sentences, candidates) each."""

    score: Doubles
    row: Ids
    token: Ids
    dedup_key: DedupKeys
    matched: Ids


def prune(candidates: Candidates, *, width: int, max_duplicates: int, end_id: int) -> Pruned:
    """Choose the best `width` candidates of each sentence.

    Candidates are taken best first until `width` of them continue:

    - The token `end_id` ends a hypothesis and takes no slot.
    - At most `max_duplicates` candidates with the same deduplication key continue.
    - Where a slot is reserved, the last of them is replaced by the best of the remaining
      candidates that has matched more keywords than all of them, if there is one.
    """
    ranked = _ranked(candidates, end_id)
    is_possible, is_end = ranked.score > -np.inf, ranked.token == end_id
    may_continue = is_possible & ~is_end
    continues = may_continue & (_duplicates(ranked.dedup_key, may_continue) < max_duplicates)
    has_room = np.cumsum(continues, axis=1) - continues < width
    continues &= has_room
    is_reserve = may_continue & ~has_room & candidates.reserves_slot[:, None]
    _fill_reserved_slots(ranked.matched, continues, is_reserve)
    ends = is_possible & is_end & has_room
    return Pruned(
        sizes=continues.sum(axis=1),
        row=ranked.row[continues],
        token=ranked.token[continues],
        matched=ranked.matched[continues],
        score=ranked.score[continues],
        dedup_key=ranked.dedup_key[continues],
        ended_row=ranked.row[ends],
        ended_score=ranked.score[ends],
    )


def is_member(table: Bools, tokens: Ids) -> Bools:
    """Look tokens up in a table of ids; ids beyond the table are not in it."""
    return np.append(table, False)[np.minimum(tokens, len(table))]


def extend_key(dedup_key: DedupKeys, tokens: Ids) -> DedupKeys:
    """Return the deduplication keys of hypotheses that are extended by these tokens."""
    mixed: DedupKeys = (dedup_key ^ tokens.astype(np.uint64)) * HASH_FACTOR + HASH_FACTOR
    return mixed ^ (mixed >> np.uint64(29))


def _ranked(candidates: Candidates, end_id: int) -> _Ranked:
    sizes = np.diff(candidates.starts)
    max_rows, choices = int(sizes.max(initial=0)), candidates.tokens.shape[1]
    slot = np.arange(max_rows * choices)
    row = np.minimum(
        candidates.starts[:-1, None] + slot // choices, len(candidates.tokens) - 1
    )  # (sentences, candidates)
    choice = slot % choices
    score = candidates.hypothesis_score[row] + candidates.scores[row, choice]
    token = candidates.tokens[row, choice]
    is_allowed = np.where(
        token == end_id, candidates.may_end[row], ~is_member(candidates.is_forbidden, token)
    )
    is_allowed &= slot // choices < sizes[:, None]
    score = np.where(is_allowed, score, -np.inf)
    order = np.argsort(-score, axis=1, kind="stable")
    sentence = np.arange(len(sizes))[:, None]
    row, token, score = row[sentence, order], token[sentence, order], score[sentence, order]
    key = candidates.dedup_key[row]
    key = np.where(is_member(candidates.is_ignored, token), key, extend_key(key, token))
    matched = candidates.matched[row] + (candidates.next_keyword[row] == token)
    return _Ranked(score, row, token, key, matched)


def _duplicates(dedup_key: DedupKeys, counts: Bools) -> Ids:
    """Return how many candidates before each have the same key, where `counts` is set."""
    order = np.argsort(dedup_key, axis=1, kind="stable")  # equal keys adjacent, still best first
    sorted_keys = np.take_along_axis(dedup_key, order, axis=1)
    counted = np.take_along_axis(counts, order, axis=1)
    before: Ids = np.cumsum(counted, axis=1) - counted
    is_first = np.ones(sorted_keys.shape, np.bool_)
    is_first[:, 1:] = sorted_keys[:, 1:] != sorted_keys[:, :-1]
    before -= np.maximum.accumulate(np.where(is_first, before, 0), axis=1)
    duplicates: Ids = np.empty_like(before)
    np.put_along_axis(duplicates, order, before, axis=1)
    return duplicates


def _fill_reserved_slots(matched: Ids, continues: Bools, is_reserve: Bools) -> None:
    """Give the last slot to the best reserve candidate that has matched more than all others."""
    most_matched = np.where(continues, matched, -1).max(axis=1, initial=-1)
    is_ahead = is_reserve & (matched > most_matched[:, None])
    sentence = np.flatnonzero(is_ahead.any(axis=1))
    last = continues.shape[1] - 1 - continues[sentence, ::-1].argmax(axis=1)
    continues[sentence, last] = False
    continues[sentence, is_ahead[sentence].argmax(axis=1)] = True
