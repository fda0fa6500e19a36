"""Batches: padded sentences, and the operations on padded rows that all schemes share.

Token ids are those of the lexicon. An id past the vocabulary is embedded as `<unk>`, and
compared as itself where keywords are copied. Reading batches from a prepared corpus is
the job of training/batches.py.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from tersely.text.vocabulary import EOS_ID, PAD_ID, UNK_ID


@dataclass(frozen=True, slots=True)
class Batch:
    """Sentences padded to the longest."""

    tokens: Tensor  # (batch, time)
    lengths: Tensor  # (batch,)

    def repeat(self, times: int) -> "Batch":
        """Repeat the whole batch, for several samples of each sentence."""
        return Batch(self.tokens.repeat(times, 1), self.lengths.repeat(times))


def length_mask(lengths: Tensor, width: int) -> Tensor:
    """Mark the positions before each length: (batch, width), bool."""
    return torch.arange(width) < lengths[:, None]


def fold_unknown(tokens: Tensor, vocabulary_size: int) -> Tensor:
    """Replace ids past the vocabulary by `<unk>`, for embedding and generating."""
    return tokens.masked_fill(tokens >= vocabulary_size, UNK_ID)


def append_end_mark(tokens: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Append `</s>` to each row; return the rows (batch, time + 1) with their lengths."""
    longer = torch.cat([tokens, tokens.new_full((len(tokens), 1), PAD_ID)], dim=1)
    return longer.scatter(1, lengths[:, None], EOS_ID), lengths + 1


def pack_kept(
    tokens: Tensor, keep: Tensor, lengths: Tensor, *, end_mark: bool
) -> tuple[Tensor, Tensor]:
    """Slide the kept tokens to the left, append `</s>` for `end_mark`; return them and counts."""
    keep = keep & length_mask(lengths, tokens.shape[1])
    order = torch.argsort(~keep, dim=1, stable=True)  # kept first, order unchanged
    counts = keep.sum(dim=1)  # (batch,)
    packed = tokens.gather(1, order)  # (batch, time)
    packed = packed.masked_fill(~length_mask(counts, tokens.shape[1]), PAD_ID)
    if end_mark:
        packed, counts = append_end_mark(packed, counts)
    width = max(1, int(counts.max()))
    return packed[:, :width], counts
