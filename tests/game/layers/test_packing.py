import torch
from hypothesis import given
from hypothesis import strategies as st

from tersely.game.layers.packing import collect, layout_of, spread


def rows_of(lengths: list[int], width: int) -> list[list[int]]:
    """Token 100r + c stands in row r, column c; padding is -1."""
    return [
        [100 * row + column if column < length else -1 for column in range(width)]
        for row, length in enumerate(lengths)
    ]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12))
def test_packed_tokens_come_step_by_step_and_none_is_padding(lengths: list[int]) -> None:
    padded = torch.tensor(rows_of(lengths, 9))
    layout = layout_of(torch.tensor(lengths), 9)
    packed = padded.flatten()[layout.places].tolist()
    assert sorted(packed) == sorted(token for row in padded.tolist() for token in row if token >= 0)
    assert [token % 100 for token in packed] == sorted(token % 100 for token in packed)
    assert list(layout.sizes) == sorted(layout.sizes, reverse=True)
    assert sum(layout.sizes) == len(packed) == sum(lengths)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12))
def test_the_mirrored_token_is_as_far_from_the_other_end(lengths: list[int]) -> None:
    layout = layout_of(torch.tensor(lengths), 9)
    packed = torch.tensor(rows_of(lengths, 9)).flatten()[layout.places]
    for token, mirrored in zip(packed.tolist(), packed[layout.mirrored].tolist(), strict=True):
        row = token // 100
        assert mirrored == 100 * row + lengths[row] - 1 - token % 100
    lasts = [100 * row + length - 1 for row, length in enumerate(lengths)]
    assert packed[layout.last].tolist() == lasts


def test_collecting_undoes_spreading_and_each_is_the_others_gradient() -> None:
    places = torch.tensor([4, 0, 3])
    rows = torch.randn(3, 2, dtype=torch.float64, requires_grad=True)
    assert torch.equal(collect(spread(rows, places, 6), places), rows)
    assert torch.autograd.gradcheck(lambda given: spread(given, places, 6), rows)
    all_rows = torch.randn(6, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda given: collect(given, places), all_rows)
