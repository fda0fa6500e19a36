"""Masks and padding in torch: which places count, and sliding kept tokens together."""

import torch
from torch import Tensor
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from tersely.text.vocab import EOS_ID, PAD_ID, UNK_ID


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


def packed(vectors: Tensor, lengths: Tensor) -> PackedSequence:
    """Leave the padding out: on a CPU, an LSTM over packed input is nearly twice as fast."""
    return pack_padded_sequence(
        vectors, lengths.clamp(min=1), batch_first=True, enforce_sorted=False
    )


def padded(sequence: PackedSequence, width: int) -> Tensor:
    """Put the padding back."""
    return pad_packed_sequence(sequence, batch_first=True, total_length=width)[0]
