"""Packing: the tokens of padded rows without their padding, and back again.

Packed tokens lie as an LSTM needs them: time step by time step, and within a step the
sentences that reach it, longest first. What runs over packed tokens (lstm.py, linear
layers, the softmax) spends nothing on padding.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class Layout(NamedTuple):
    """Where the tokens of padded rows lie when packed."""

    places: Tensor  # (all tokens,): each one's place among the padded, row × width + column
    mirrored: Tensor  # (all tokens,): packed index of the token as far from the other end
    last: Tensor  # (batch,): packed index of each row's last token
    order: Tensor  # (batch,): rows, longest first
    sizes: tuple[int, ...]  # how many sentences reach each time step


def layout_of(lengths: Tensor, width: int) -> Layout:
    """Lay rows of these lengths out; each has a token at least."""
    ordered, order = lengths.sort(descending=True, stable=True)
    reached = torch.arange(width)[:, None] < ordered  # (time, batch)
    steps, positions = reached.nonzero(as_tuple=True)
    sizes = reached.sum(dim=1)
    starts = sizes.cumsum(0) - sizes
    last = torch.empty_like(order)
    last[order] = starts[ordered - 1] + torch.arange(len(lengths))
    return Layout(
        places=order[positions] * width + steps,
        mirrored=starts[ordered[positions] - 1 - steps] + positions,
        last=last,
        order=order,
        sizes=tuple(size for size in sizes.tolist() if size),
    )


def spread(rows: Tensor, places: Tensor, count: int) -> Tensor:
    """Put rows at their places, no two at one, among `count` rows of zeros."""
    spread_out: Tensor = _Spread.apply(rows, places, count)  # type: ignore[no-untyped-call]
    return spread_out


def collect(rows: Tensor, places: Tensor) -> Tensor:
    """Take the rows at some places, no two the same."""
    collected: Tensor = _Collect.apply(rows, places)  # type: ignore[no-untyped-call]
    return collected


# As no place comes twice, each is the other's gradient; indexing would have to add up.


class _Spread(Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, places: Tensor, count: int) -> Tensor:
        ctx.save_for_backward(places)
        return _spread(rows, places, count)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        (places,) = ctx.saved_tensors
        return gradient.index_select(0, places), None, None


class _Collect(Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, places: Tensor) -> Tensor:
        ctx.save_for_backward(places)
        ctx.count = len(rows)
        return rows.index_select(0, places)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (places,) = ctx.saved_tensors
        return _spread(gradient, places, ctx.count), None


def _spread(rows: Tensor, places: Tensor, count: int) -> Tensor:
    return rows.new_zeros(count, *rows.shape[1:]).index_copy_(0, places, rows)
