"""LSTMs over packed tokens, in one direction or both.

torch.nn.LSTM takes up to twice as long to train on packed input: its backward pass multiplies
out the gradient of the weights at every time step, and fills a gradient of all inputs with
zeros for each. Here a time step multiplies only the states; the gradient of the weights is one
product after the last step. Parameters have the names of torch.nn.LSTM.
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

from tersely.game.layers.packing import PackedLayout, gather_rows

State = tuple[Tensor, Tensor]  # hidden and cell


class PackedLstm(nn.Module):
    """A forward LSTM."""

    weight_ih_l0: Tensor
    weight_hh_l0: Tensor
    bias_ih_l0: Tensor
    bias_hh_l0: Tensor

    def __init__(self, inputs: int, units: int) -> None:
        super().__init__()
        _register_parameters(self, inputs, units)

    def forward(
        self,
        vectors: Tensor,
        layout: PackedLayout,
        *,
        constant: Tensor | None = None,
        initial: State | None,
    ) -> Tensor:
        """Map vectors (all tokens, inputs) to states (all tokens, units).

        `constant` (batch, more inputs) is concatenated to the vectors of its row at every step;
        `initial` is a hidden state and a cell (batch, units).
        """
        weight, bias = self.weight_ih_l0, self.bias_ih_l0 + self.bias_hh_l0
        width = vectors.shape[1]
        inputs = linear(vectors, weight[:, :width])
        # The constant input is multiplied once per row instead of once per step.
        offset = bias.expand(len(layout.order), -1)
        if constant is not None:
            offset = linear(constant[layout.order], weight[:, width:], bias)
        hidden, cell = (None, None) if initial is None else initial
        states, _ = _Recurrence.apply(  # type: ignore[no-untyped-call]
            inputs[None],
            offset[None],
            self.weight_hh_l0[None],
            None if hidden is None else hidden[layout.order][None],
            None if cell is None else cell[layout.order][None],
            layout.sizes,
        )
        output: Tensor = states[0]
        return output


class BidirectionalLstm(nn.Module):
    """A forward and a backward LSTM, run side by side."""

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
        _register_parameters(self, inputs, units)
        _register_parameters(self, inputs, units, "_reverse")

    def forward(self, vectors: Tensor, layout: PackedLayout) -> tuple[Tensor, State]:
        """Map vectors (all tokens, inputs) to states (all tokens, 2 × units) and final state.

        The final hidden state and cell concatenate both directions: each (batch, 2 × units).
        """
        weight = torch.cat([self.weight_ih_l0, self.weight_ih_l0_reverse])
        bias = torch.cat(
            [
                self.bias_ih_l0 + self.bias_hh_l0,
                self.bias_ih_l0_reverse + self.bias_hh_l0_reverse,
            ]
        )
        forwards, backwards = linear(vectors, weight, bias).chunk(2, dim=1)
        states, cells = _Recurrence.apply(  # type: ignore[no-untyped-call]
            torch.stack([forwards, gather_rows(backwards, layout.mirrored)]),
            None,
            torch.stack([self.weight_hh_l0, self.weight_hh_l0_reverse]),
            None,
            None,
            layout.sizes,
        )
        both = torch.cat([states[0], gather_rows(states[1], layout.mirrored)], dim=1)
        return both, (_final(states, layout), _final(cells, layout))


def _final(states: Tensor, layout: PackedLayout) -> Tensor:
    """Concatenate the last states of both directions: (batch, 2 × units)."""
    return states[:, layout.last].transpose(0, 1).flatten(1)


def _register_parameters(module: nn.Module, inputs: int, units: int, suffix: str = "") -> None:
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

    inputs (directions, all tokens, 4 × units): the gates' share from the vectors;
    offset (directions, batch, 4 × units): added at every step;
    weight (directions, 4 × units, units);
    hidden, cell (directions, batch, units): the initial state.
    Rows are ordered longest first; gates have torch's order i, f, g, o.
    """

    @staticmethod
    def forward(
        ctx: Any,
        inputs: Tensor,
        offset: Tensor | None,
        weight: Tensor,
        hidden: Tensor | None,
        cell: Tensor | None,
        sizes: Sequence[int],
    ) -> tuple[Tensor, Tensor]:
        units = weight.shape[2]
        gates = inputs.clone()
        states = inputs.new_empty(*inputs.shape[:2], units)
        cells, tanh_cells = torch.empty_like(states), torch.empty_like(states)
        transposed, previous_h, previous_c, end = weight.transpose(1, 2), hidden, cell, 0
        for size in sizes:
            here = slice(end, end + size)
            gate, state, new_cell = gates[:, here], states[:, here], cells[:, here]
            if offset is not None:
                gate += offset[:, :size]
            if previous_h is not None:
                gate.baddbmm_(previous_h[:, :size], transposed)
            gate[..., : 2 * units].sigmoid_()
            gate[..., 2 * units : 3 * units].tanh_()
            gate[..., 3 * units :].sigmoid_()
            i, f, g, o = gate.chunk(4, dim=2)
            torch.mul(i, g, out=new_cell)
            if previous_c is not None:
                new_cell.addcmul_(f, previous_c[:, :size])
            torch.mul(o, torch.tanh(new_cell, out=tanh_cells[:, here]), out=state)
            previous_h, previous_c, end = state, new_cell, end + size
        ctx.save_for_backward(gates, states, cells, tanh_cells, weight, hidden, cell)
        ctx.sizes, ctx.has_offset = sizes, offset is not None
        ctx.set_materialize_grads(False)
        return states, cells

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, from_states: Tensor | None, from_cells: Tensor | None
    ) -> tuple[Tensor | None, ...]:
        gates, states, cells, tanh_cells, weight, hidden, cell = ctx.saved_tensors
        units, batch = weight.shape[2], ctx.sizes[0]
        forget, output = gates[..., units : 2 * units], gates[..., 3 * units :]
        d_gates = _local_gradients(gates, tanh_cells, _previous(cells, cell, ctx.sizes))
        d_cell_by_state = torch.ops.aten.tanh_backward(output, tanh_cells)
        d_state, d_cell = (states.new_zeros(len(weight), batch, units) for _ in range(2))
        d_offset = gates.new_zeros(len(weight), batch, 4 * units) if ctx.has_offset else None
        end = states.shape[1]
        for size in reversed(ctx.sizes):
            here, end = slice(end - size, end), end - size
            dh, dc, gate = d_state[:, :size], d_cell[:, :size], d_gates[:, here]
            if from_states is not None:
                dh += from_states[:, here]
            dc.addcmul_(dh, d_cell_by_state[:, here])
            if from_cells is not None:
                dc += from_cells[:, here]
            gate[..., : 3 * units].view(*gate.shape[:2], 3, units).mul_(dc[:, :, None])
            gate[..., 3 * units :].mul_(dh)
            dc *= forget[:, here]
            torch.bmm(gate, weight, out=dh)
            if d_offset is not None:
                d_offset[:, :size] += gate
        d_weight = d_gates.transpose(1, 2) @ _previous(states, hidden, ctx.sizes)
        d_start = (d_state if hidden is not None else None, d_cell if cell is not None else None)
        return d_gates, d_offset, d_weight, *d_start, None


def _local_gradients(gates: Tensor, tanh_cells: Tensor, previous_cells: Tensor) -> Tensor:
    """Derivatives of the cell in the inputs of i, f and g, and of the state in the input of o."""
    i, f, g, o = gates.chunk(4, dim=2)
    gradients = torch.empty_like(gates)
    of_i, of_f, of_g, of_o = gradients.chunk(4, dim=2)
    aten = torch.ops.aten
    aten.sigmoid_backward.grad_input(g, i, grad_input=of_i)
    aten.sigmoid_backward.grad_input(previous_cells, f, grad_input=of_f)
    aten.tanh_backward.grad_input(i, g, grad_input=of_g)
    aten.sigmoid_backward.grad_input(tanh_cells, o, grad_input=of_o)
    return gradients


def _previous(states: Tensor, initial: Tensor | None, sizes: Sequence[int]) -> Tensor:
    """Return the state of the step before each packed token."""
    previous = torch.empty_like(states)
    previous[:, : sizes[0]] = 0.0 if initial is None else initial
    begin = 0
    for size, following in pairwise(sizes):
        previous[:, begin + size : begin + size + following] = states[:, begin : begin + following]
        begin += size
    return previous
