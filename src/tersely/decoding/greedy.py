"""Greedy decoding, as in the paper: no constraints, no forbidden tokens."""

import numpy as np

from tersely.decoding.step import DecoderStep, Hypothesis, StateT
from tersely.runtime.arrays import Ids
from tersely.text.vocabulary import BOS_ID, EOS_ID


def greedy(
    step: DecoderStep[StateT], state: StateT, *, rows: int, max_tokens: int
) -> list[Hypothesis]:
    """Take the likeliest token at each step; a sentence ends after `max_tokens` tokens."""
    last = np.full(rows, BOS_ID, np.int64)
    sentences: list[list[int]] = [[] for _ in range(rows)]
    totals = np.zeros(rows, np.float64)
    live: Ids = np.arange(rows)
    for length in range(max_tokens + 1):
        state, next_token = step(state, last)
        if length < max_tokens:
            candidates, log_probs = next_token.top_k(1)
            best = log_probs.argmax(axis=1)
            row = np.arange(len(candidates))
            tokens, scores = candidates[row, best], log_probs[row, best]
        else:
            tokens = np.full(len(live), EOS_ID)
            scores = next_token.log_prob(tokens)
        totals[live] += scores
        continues = tokens != EOS_ID
        for index, token in zip(live[continues], tokens[continues], strict=True):
            sentences[index].append(int(token))
        live, last = live[continues], tokens[continues]
        if not len(live):
            break
        state = state.take(np.flatnonzero(continues))
    return [
        Hypothesis(tuple(ids), float(total)) for ids, total in zip(sentences, totals, strict=True)
    ]
