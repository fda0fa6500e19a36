"""Masks in torch: which places count, and sliding kept tokens together."""

import torch
from torch import Tensor

from tersely.text.vocabulary import EOS_ID, PAD_ID, UNK_ID


def inside(lengths: Tensor, width: int) -> Tensor:
    """Mark the places before each length."""
    return torch.arange(width) < lengths[:, None]  # (batch, width)


def within_vocabulary(tokens: Tensor, size: int) -> Tensor:
    """Fold ids past the vocabulary into `<unk>`, for embedding and generating."""
    return tokens.masked_fill(tokens >= size, UNK_ID)


def pack_kept(
    tokens: Tensor, keep: Tensor, lengths: Tensor, *, end_mark: bool
) -> tuple[Tensor, Tensor]:
    """Slide the kept tokens to the left, end mark after them; return them with their counts."""
    keep = keep & inside(lengths, tokens.shape[1])
    order = torch.argsort(~keep, dim=1, stable=True)  # kept first, order unchanged
    counts = keep.sum(dim=1)  # (batch,)
    packed = tokens.gather(1, order)  # (batch, time)
    packed = packed.masked_fill(~inside(counts, tokens.shape[1]), PAD_ID)
    if end_mark:
        packed, counts = with_end_mark(packed, counts)
    width = max(1, int(counts.max()))
    return packed[:, :width], counts


def with_end_mark(tokens: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Put `</s>` after each sequence."""
    longer = torch.cat([tokens, tokens.new_full((len(tokens), 1), PAD_ID)], dim=1)
    return longer.scatter(1, lengths[:, None], EOS_ID), lengths + 1
