"""Alignment in torch: which token of a sentence each keyword is, as far left as can be.

Several masks can give the same keywords ("the" kept here or there). The decoder hears the
keywords only, so one mask stands for all of them: the leftmost (text/keywords.py says why
it always exists). A sentence is then said in one way: place, place, generate, place …
"""

from typing import NamedTuple

import torch
from torch import Tensor

from tersely.game.batches import Batch
from tersely.game.distilled.masks import pack_kept


class Placement(NamedTuple):
    """Keywords of a batch, end mark included, and where they stand in the sentences."""

    keywords: Tensor  # (batch, n)
    counts: Tensor  # (batch,): keywords with end mark
    here: Tensor  # (batch, time + 1), bool: the token is the next keyword, and is placed
    following: Tensor  # (batch, time + 1): index of the keyword that comes next


def place_leftmost(batch: Batch, keep: Tensor) -> Placement:
    """Turn masks (batch, time) into keywords, each at its leftmost place."""
    keywords, counts = pack_kept(batch.tokens, keep, batch.lengths, end_mark=True)
    rows = torch.arange(len(keywords))
    next_one = torch.zeros(len(keywords), dtype=torch.long)
    here, following = [], []
    for column in batch.tokens.unbind(dim=1):
        matches = keywords[rows, next_one] == column
        here.append(matches)
        following.append(next_one)
        next_one = next_one + matches
    # After the last token only the end mark is left; padding never matches it.
    ends = torch.arange(batch.tokens.shape[1] + 1) == batch.lengths[:, None]
    placed = torch.stack([*here, torch.zeros_like(here[0])], dim=1) | ends
    return Placement(keywords, counts, placed, torch.stack([*following, next_one], dim=1))
