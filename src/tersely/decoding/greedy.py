"""Greedy decoding, as the paper does it: no constraint, nothing barred."""

import numpy as np

from tersely.decoding.step import Found, StateT, Step, take
from tersely.runtime.arrays import Ids
from tersely.text.vocabulary import BOS_ID, EOS_ID


def greedy(step: Step[StateT], state: StateT, *, rows: int, max_tokens: int) -> list[Found]:
    """Take the likeliest word each time; after `max_tokens` words a sentence ends."""
    last = np.full(rows, BOS_ID, np.int64)
    said: list[list[int]] = [[] for _ in range(rows)]
    totals = np.zeros(rows, np.float64)
    live: Ids = np.arange(rows)
    for spent in range(max_tokens + 1):
        state, coming = step(state, last)
        if spent < max_tokens:
            ids, found = coming.best(1)
            place = found.argmax(axis=1)
            best, scores = ids[np.arange(len(ids)), place], found[np.arange(len(ids)), place]
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
        state = take(state, np.flatnonzero(goes_on))
    return [Found(tuple(ids), float(total)) for ids, total in zip(said, totals, strict=True)]
