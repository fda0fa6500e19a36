import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from tersely.game.layers.lstm import BidirectionalLstm, PackedLstm
from tersely.game.layers.packing import packed_layout, scatter_rows

LENGTHS = torch.tensor([3, 7, 1, 7, 4])
WIDTH = 8


def vectors(units: int) -> Tensor:
    generator = torch.Generator().manual_seed(2)
    return torch.randn(len(LENGTHS), WIDTH, units, generator=generator, dtype=torch.float64)


def run_torch(
    lstm: nn.LSTM, padded: Tensor, initial: tuple[Tensor, ...] | None = None
) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    packed = pack_padded_sequence(padded, LENGTHS, batch_first=True, enforce_sorted=False)
    states, last = lstm(packed, initial)
    return pad_packed_sequence(states, batch_first=True, total_length=WIDTH)[0], last


def pair(
    bidirectional: bool, inputs: int, units: int
) -> tuple[PackedLstm | BidirectionalLstm, nn.LSTM]:
    """Ours and torch's LSTM with the same parameters."""
    theirs = nn.LSTM(inputs, units, batch_first=True, bidirectional=bidirectional).double()
    ours = (BidirectionalLstm if bidirectional else PackedLstm)(inputs, units).double()
    ours.load_state_dict(theirs.state_dict())
    return ours, theirs


@pytest.mark.parametrize("has_constant", [False, True])
@pytest.mark.parametrize("has_initial", [False, True])
def test_the_forward_lstm_equals_torchs_and_so_does_its_gradient(
    has_constant: bool, has_initial: bool
) -> None:
    constant = vectors(4)[:, 0].requires_grad_()
    initial = [vectors(6)[:, column].requires_grad_() for column in (1, 2)]
    ours, theirs = pair(False, 5 + 4 * has_constant, 6)
    inputs = vectors(5)
    repeated = constant[:, None].expand(-1, WIDTH, -1)
    joined = torch.cat([inputs, repeated], dim=2) if has_constant else inputs
    torch_initial = tuple(state[None] for state in initial) if has_initial else None
    expected, _ = run_torch(theirs, joined, torch_initial)
    layout = packed_layout(LENGTHS, WIDTH)
    states = ours(
        inputs.flatten(0, 1)[layout.positions],
        layout,
        constant=constant if has_constant else None,
        initial=tuple(initial) if has_initial else None,
    )
    padded = scatter_rows(states, layout.positions, len(LENGTHS) * WIDTH).view(expected.shape)
    torch.testing.assert_close(padded, expected)
    probe = torch.randn_like(expected)
    leaves = [*([constant] if has_constant else []), *(initial if has_initial else [])]
    gradient = torch.autograd.grad((padded * probe).sum(), [*ours.parameters(), *leaves])
    torchs = torch.autograd.grad((expected * probe).sum(), [*theirs.parameters(), *leaves])
    torch.testing.assert_close(gradient, torchs)


def test_the_bidirectional_lstm_equals_torchs_and_so_does_its_gradient() -> None:
    ours, theirs = pair(True, 5, 3)
    inputs = vectors(5).requires_grad_()
    expected, (hidden, cell) = run_torch(theirs, inputs)
    layout = packed_layout(LENGTHS, WIDTH)
    states, last = ours(inputs.flatten(0, 1)[layout.positions], layout)
    padded = scatter_rows(states, layout.positions, len(LENGTHS) * WIDTH).view(expected.shape)
    torch.testing.assert_close(padded, expected)
    for state, torch_state in zip(last, (hidden, cell), strict=True):
        torch.testing.assert_close(state, torch_state.transpose(0, 1).flatten(1))
    probes = [torch.randn_like(part) for part in (padded, *last)]
    theirs_all = (expected, *(part.transpose(0, 1).flatten(1) for part in (hidden, cell)))
    torch_total, total = (
        torch.stack([(part * probe).sum() for part, probe in zip(parts, probes, strict=True)]).sum()
        for parts in (theirs_all, (padded, *last))
    )
    gradient = torch.autograd.grad(total, [*ours.parameters(), inputs])
    torchs = torch.autograd.grad(torch_total, [*theirs.parameters(), inputs])
    torch.testing.assert_close(gradient, torchs)


def test_parameters_have_torchs_names_in_torchs_order() -> None:
    for bidirectional in (False, True):
        ours, theirs = pair(bidirectional, 5, 3)
        assert list(ours.state_dict()) == list(theirs.state_dict())
