import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from tersely.game.layers.lstm import PackedLstm, TwoWayLstm
from tersely.game.layers.packing import layout_of, spread

LENGTHS = torch.tensor([3, 7, 1, 7, 4])
WIDTH = 8


def vectors(units: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(2)
    return torch.randn(len(LENGTHS), WIDTH, units, generator=generator, dtype=torch.float64)


def torchs_own(lstm: nn.LSTM, padded: torch.Tensor, start=None):
    packed = pack_padded_sequence(padded, LENGTHS, batch_first=True, enforce_sorted=False)
    states, last = lstm(packed, start)
    return pad_packed_sequence(states, batch_first=True, total_length=WIDTH)[0], last


def pair(two_way: bool, inputs: int, units: int):
    theirs = nn.LSTM(inputs, units, batch_first=True, bidirectional=two_way).double()
    ours = (TwoWayLstm if two_way else PackedLstm)(inputs, units).double()
    ours.load_state_dict(theirs.state_dict())
    return ours, theirs


@pytest.mark.parametrize("is_fed", [False, True])
@pytest.mark.parametrize("is_started", [False, True])
def test_forwards_it_is_torchs_lstm_and_so_is_its_gradient(is_fed: bool, is_started: bool) -> None:
    fed = vectors(4)[:, 0].requires_grad_()
    start = [vectors(6)[:, column].requires_grad_() for column in (1, 2)]
    ours, theirs = pair(False, 5 + 4 * is_fed, 6)
    inputs = vectors(5)
    repeated = fed[:, None].expand(-1, WIDTH, -1)
    joined = torch.cat([inputs, repeated], dim=2) if is_fed else inputs
    begun = tuple(state[None] for state in start) if is_started else None
    expected, _ = torchs_own(theirs, joined, begun)
    layout = layout_of(LENGTHS, WIDTH)
    states = ours(
        inputs.flatten(0, 1)[layout.places],
        layout,
        fed=fed if is_fed else None,
        start=tuple(start) if is_started else None,
    )
    found = spread(states, layout.places, len(LENGTHS) * WIDTH).view(expected.shape)
    torch.testing.assert_close(found, expected)
    probe = torch.randn_like(expected)
    leaves = [*([fed] if is_fed else []), *(start if is_started else [])]
    wanted = torch.autograd.grad((expected * probe).sum(), [*theirs.parameters(), *leaves])
    got = torch.autograd.grad((found * probe).sum(), [*ours.parameters(), *leaves])
    torch.testing.assert_close(got, wanted)


def test_both_ways_it_is_torchs_lstm_and_so_is_its_gradient() -> None:
    ours, theirs = pair(True, 5, 3)
    inputs = vectors(5).requires_grad_()
    expected, (hidden, cell) = torchs_own(theirs, inputs)
    layout = layout_of(LENGTHS, WIDTH)
    states, last = ours(inputs.flatten(0, 1)[layout.places], layout)
    found = spread(states, layout.places, len(LENGTHS) * WIDTH).view(expected.shape)
    torch.testing.assert_close(found, expected)
    for mine, other in zip(last, (hidden, cell), strict=True):
        torch.testing.assert_close(mine, other.transpose(0, 1).flatten(1))
    probes = [torch.randn_like(part) for part in (found, *last)]
    theirs_all = (expected, *(part.transpose(0, 1).flatten(1) for part in (hidden, cell)))
    total = [
        sum((part * probe).sum() for part, probe in zip(parts, probes, strict=True))
        for parts in (theirs_all, (found, *last))
    ]
    wanted = torch.autograd.grad(total[0], [*theirs.parameters(), inputs])
    got = torch.autograd.grad(total[1], [*ours.parameters(), inputs])
    torch.testing.assert_close(got, wanted)


def test_parameters_have_torchs_names_in_torchs_order() -> None:
    for two_way in (False, True):
        ours, theirs = pair(two_way, 5, 3)
        assert list(ours.state_dict()) == list(theirs.state_dict())
