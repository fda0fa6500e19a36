"""Packing: the tokens of padded rows without their padding, and back again.

Packed tokens are ordered as an LSTM needs them: time step by time step, and within a step the
rows that reach it, longest first. Everything that runs over packed tokens (lstm.py, linear
layers, the softmax) does no work for padding.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from tersely.game.batch import fold_unknown


class PackedLayout(NamedTuple):
    """The order in which the tokens of padded rows are packed."""

    positions: Tensor  # (all tokens,): row × width + column of each packed token
    mirrored: Tensor  # (all tokens,): packed index of the token as far from the other end
    last: Tensor  # (batch,): packed index of each row's last token
    order: Tensor  # (batch,): rows, longest first
    sizes: tuple[int, ...]  # number of rows that reach each time step


def packed_layout(lengths: Tensor, width: int) -> PackedLayout:
    """Lay out rows of these lengths, each at least 1."""
    ordered, order = lengths.sort(descending=True, stable=True)
    reached = torch.arange(width)[:, None] < ordered  # (time, batch)
    steps, ranks = reached.nonzero(as_tuple=True)
    sizes = reached.sum(dim=1)
    starts = sizes.cumsum(0) - sizes
    last = torch.empty_like(order)
    last[order] = starts[ordered - 1] + torch.arange(len(lengths))
    return PackedLayout(
        positions=order[ranks] * width + steps,
        mirrored=starts[ordered[ranks] - 1 - steps] + ranks,
        last=last,
        order=order,
        sizes=tuple(size for size in sizes.tolist() if size),
    )


def embed_both(embedding: nn.Embedding, first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
    """Embed two sequences of ids in one lookup.

    The gradient of a lookup is as large as the table, so one lookup is cheaper than two.
    """
    ids = fold_unknown(torch.cat([first, second]), embedding.num_embeddings)
    vectors = embedding(ids).split_with_sizes([len(first), len(second)])
    return vectors[0], vectors[1]


def scatter_rows(rows: Tensor, positions: Tensor, count: int) -> Tensor:
    """Return `count` rows of zeros with `rows` at `positions`, which must be distinct."""
    scattered: Tensor = _Scatter.apply(rows, positions, count)  # type: ignore[no-untyped-call]
    return scattered


def gather_rows(rows: Tensor, positions: Tensor) -> Tensor:
    """Return the rows at these positions, which must be distinct."""
    gathered: Tensor = _Gather.apply(rows, positions)  # type: ignore[no-untyped-call]
    return gathered


# Positions are distinct, so each function is the other's gradient. The gradient of plain
# indexing would add up duplicates, which takes longer.


class _Scatter(Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, positions: Tensor, count: int) -> Tensor:
        ctx.save_for_backward(positions)
        return _scatter(rows, positions, count)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        (positions,) = ctx.saved_tensors
        return gradient.index_select(0, positions), None, None


class _Gather(Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, positions: Tensor) -> Tensor:
        ctx.save_for_backward(positions)
        ctx.count = len(rows)
        return rows.index_select(0, positions)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (positions,) = ctx.saved_tensors
        return _scatter(gradient, positions, ctx.count), None


def _scatter(rows: Tensor, positions: Tensor, count: int) -> Tensor:
    return rows.new_zeros(count, *rows.shape[1:]).index_copy_(0, positions, rows)
