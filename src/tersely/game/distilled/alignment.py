"""Leftmost alignment of keywords with their sentence, in torch.

Several masks can give the same keywords ("the" kept here or there). The decoder receives only
the keywords, so one mask represents all of them: the one that keeps each keyword at its leftmost
position (text/alignment.py does the same for text). Under it the decoder's choices are determined:
each token of the sentence is either the next keyword, and is placed, or it is generated.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from tersely.game.batch import Batch, pack_kept


class LeftmostAlignment(NamedTuple):
    """The keywords of a batch, end mark included, and their positions in the sentences."""

    keywords: Tensor  # (batch, n)
    counts: Tensor  # (batch,): keywords with end mark
    is_placed: Tensor  # (batch, time + 1), bool: the token is the next keyword
    next_keyword: Tensor  # (batch, time + 1): index of the keyword that is due at the token


def align_leftmost(batch: Batch, keep: Tensor) -> LeftmostAlignment:
    """Turn masks (batch, time) into keywords, and align each with its leftmost position."""
    keywords, counts = pack_kept(batch.tokens, keep, batch.lengths, end_mark=True)
    rows = torch.arange(len(keywords))
    due = torch.zeros(len(keywords), dtype=torch.long)
    is_placed, next_keyword = [], []
    for column in batch.tokens.unbind(dim=1):
        matches = keywords[rows, due] == column
        is_placed.append(matches)
        next_keyword.append(due)
        due = due + matches
    # After the last token only the end mark is left; padding never matches it.
    ends = torch.arange(batch.tokens.shape[1] + 1) == batch.lengths[:, None]
    placed = torch.stack([*is_placed, torch.zeros_like(is_placed[0])], dim=1) | ends
    return LeftmostAlignment(keywords, counts, placed, torch.stack([*next_keyword, due], dim=1))
