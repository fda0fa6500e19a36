"""LSTMs over packed tokens, in one direction or both.

torch's own takes up to twice as long to train on packed input: backward, it multiplies out
the weights' gradient at every time step and fills a gradient of all inputs with zeros for
each. Here a time step multiplies the states alone; all that can wait is done in one
product after the last. Parameters are named as torch names them.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable
from torch.nn.functional import linear

from tersely.game.layers.packing import Layout, collect

State = tuple[Tensor, Tensor]  # hidden and cell


class PackedLstm(nn.Module):
    """Reads forwards."""

    weight_ih_l0: Tensor
    weight_hh_l0: Tensor
    bias_ih_l0: Tensor
    bias_hh_l0: Tensor

    def __init__(self, inputs: int, units: int) -> None:
        super().__init__()
        _declare(self, inputs, units)

    def forward(
        self, vectors: Tensor, layout: Layout, *, fed: Tensor | None = None, start: State | None
    ) -> Tensor:
        """Map vectors (all tokens, inputs) to states (all tokens, units).

        `fed` (batch, more inputs) joins the vectors of its sentence at every step;
        `start` holds a hidden state and a cell (batch, units). Both come row by row.
        """
        weight, bias = self.weight_ih_l0, self.bias_ih_l0 + self.bias_hh_l0
        cut = vectors.shape[1]
        inputs = linear(vectors, weight[:, :cut])
        # What is the same at every step is multiplied once a sentence.
        same = bias.expand(len(layout.order), -1)
        if fed is not None:
            same = linear(fed[layout.order], weight[:, cut:], bias)
        hidden, cell = (None, None) if start is None else start
        states, _ = _Recurrence.apply(  # type: ignore[no-untyped-call]
            inputs[None],
            same[None],
            self.weight_hh_l0[None],
            None if hidden is None else hidden[layout.order][None],
            None if cell is None else cell[layout.order][None],
            layout.sizes,
        )
        found: Tensor = states[0]
        return found


class TwoWayLstm(nn.Module):
    """Reads forwards and backwards at the same time."""

    weight_ih_l0: Tensor
    weight_hh_l0: Tensor
    bias_ih_l0: Tensor
    bias_hh_l0: Tensor
    weight_ih_l0_reverse: Tensor
    weight_hh_l0_reverse: Tensor
    bias_ih_l0_reverse: Tensor
    bias_hh_l0_reverse: Tensor

    def __init__(self, inputs: int, units: int) -> None:
        super().__init__()
        _declare(self, inputs, units)
        _declare(self, inputs, units, "_reverse")

    def forward(self, vectors: Tensor, layout: Layout) -> tuple[Tensor, State]:
        """Map vectors (all tokens, inputs) to states (all tokens, 2 × units) and last state.

        The last state is each direction's own, side by side: twice (batch, 2 × units).
        """
        weight = torch.cat([self.weight_ih_l0, self.weight_ih_l0_reverse])
        bias = torch.cat(
            [
                self.bias_ih_l0 + self.bias_hh_l0,
                self.bias_ih_l0_reverse + self.bias_hh_l0_reverse,
            ]
        )
        ahead, back = linear(vectors, weight, bias).chunk(2, dim=1)
        states, cells = _Recurrence.apply(  # type: ignore[no-untyped-call]
            torch.stack([ahead, collect(back, layout.mirrored)]),
            None,
            torch.stack([self.weight_hh_l0, self.weight_hh_l0_reverse]),
            None,
            None,
            layout.sizes,
        )
        both = torch.cat([states[0], collect(states[1], layout.mirrored)], dim=1)
        hidden, cell = (kept[:, layout.last].transpose(0, 1).flatten(1) for kept in (states, cells))
        return both, (hidden, cell)


def _declare(module: nn.Module, inputs: int, units: int, suffix: str = "") -> None:
    width = 1 / math.sqrt(units)
    shapes = {
        "weight_ih_l0": (4 * units, inputs),
        "weight_hh_l0": (4 * units, units),
        "bias_ih_l0": (4 * units,),
        "bias_hh_l0": (4 * units,),
    }
    for name, shape in shapes.items():
        parameter = nn.Parameter(torch.empty(shape).uniform_(-width, width))
        module.register_parameter(name + suffix, parameter)


class _Recurrence(Function):
    """The time steps of LSTMs that run side by side, one in each direction.

    inputs (directions, all tokens, 4 × units), what the gates take from the vectors;
    same (directions, batch, 4 × units), added at every step; weight (directions,
    4 × units, units); hidden and cell to start from (directions, batch, units).
    Batches come longest sentence first. The gates lie as torch has them: i, f, g, o.
    """

    @staticmethod
    def forward(
        ctx: Any,
        inputs: Tensor,
        same: Tensor | None,
        weight: Tensor,
        hidden: Tensor | None,
        cell: Tensor | None,
        sizes: Sequence[int],
    ) -> tuple[Tensor, Tensor]:
        units = weight.shape[2]
        gates = inputs.clone()
        states = inputs.new_empty(*inputs.shape[:2], units)
        cells, squashed = torch.empty_like(states), torch.empty_like(states)
        turned, before_h, before_c, end = weight.transpose(1, 2), hidden, cell, 0
        for size in sizes:
            here = slice(end, end + size)
            gate, state, now = gates[:, here], states[:, here], cells[:, here]
            if same is not None:
                gate += same[:, :size]
            if before_h is not None:
                gate.baddbmm_(before_h[:, :size], turned)
            gate[..., : 2 * units].sigmoid_()
            gate[..., 2 * units : 3 * units].tanh_()
            gate[..., 3 * units :].sigmoid_()
            i, f, g, o = gate.chunk(4, dim=2)
            torch.mul(i, g, out=now)
            if before_c is not None:
                now.addcmul_(f, before_c[:, :size])
            torch.mul(o, torch.tanh(now, out=squashed[:, here]), out=state)
            before_h, before_c, end = state, now, end + size
        ctx.save_for_backward(gates, states, cells, squashed, weight, hidden, cell)
        ctx.sizes, ctx.has_same = sizes, same is not None
        ctx.set_materialize_grads(False)
        return states, cells

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, from_states: Tensor | None, from_cells: Tensor | None
    ) -> tuple[Tensor | None, ...]:
        gates, states, cells, squashed, weight, hidden, cell = ctx.saved_tensors
        units, batch = weight.shape[2], ctx.sizes[0]
        forget, output = gates[..., units : 2 * units], gates[..., 3 * units :]
        d_gates = _slopes(gates, squashed, _shifted(cells, cell, ctx.sizes))
        through = torch.ops.aten.tanh_backward(output, squashed)  # of the cell by the state
        d_state, d_cell = (states.new_zeros(len(weight), batch, units) for _ in range(2))
        d_same = gates.new_zeros(len(weight), batch, 4 * units) if ctx.has_same else None
        end = states.shape[1]
        for size in reversed(ctx.sizes):
            here, end = slice(end - size, end), end - size
            dh, dc, gate = d_state[:, :size], d_cell[:, :size], d_gates[:, here]
            if from_states is not None:
                dh += from_states[:, here]
            dc.addcmul_(dh, through[:, here])
            if from_cells is not None:
                dc += from_cells[:, here]
            gate[..., : 3 * units].view(*gate.shape[:2], 3, units).mul_(dc[:, :, None])
            gate[..., 3 * units :].mul_(dh)
            dc *= forget[:, here]
            torch.bmm(gate, weight, out=dh)
            if d_same is not None:
                d_same[:, :size] += gate
        d_weight = d_gates.transpose(1, 2) @ _shifted(states, hidden, ctx.sizes)
        d_start = (d_state if hidden is not None else None, d_cell if cell is not None else None)
        return d_gates, d_same, d_weight, *d_start, None


def _slopes(gates: Tensor, squashed: Tensor, before: Tensor) -> Tensor:
    """How the cell answers to what goes into i, f and g, and the state to o's."""
    i, f, g, o = gates.chunk(4, dim=2)
    slopes = torch.empty_like(gates)
    of_i, of_f, of_g, of_o = slopes.chunk(4, dim=2)
    aten = torch.ops.aten
    aten.sigmoid_backward.grad_input(g, i, grad_input=of_i)
    aten.sigmoid_backward.grad_input(before, f, grad_input=of_f)
    aten.tanh_backward.grad_input(i, g, grad_input=of_g)
    aten.sigmoid_backward.grad_input(squashed, o, grad_input=of_o)
    return slopes


def _shifted(states: Tensor, start: Tensor | None, sizes: Sequence[int]) -> Tensor:
    """The state before each packed token's."""
    before = torch.empty_like(states)
    before[:, : sizes[0]] = 0.0 if start is None else start
    begin = 0
    for size, following in pairwise(sizes):
        before[:, begin + size : begin + size + following] = states[:, begin : begin + following]
        begin += size
    return before
