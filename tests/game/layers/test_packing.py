import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from tersely.game.layers.packing import embed_both, gather_rows, packed_layout, scatter_rows
from tersely.text.vocabulary import UNK_ID


def rows_of(lengths: list[int], width: int) -> list[list[int]]:
    """The token in row r, column c is 100r + c; padding is -1."""
    return [
        [100 * row + column if column < length else -1 for column in range(width)]
        for row, length in enumerate(lengths)
    ]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12))
def test_packed_tokens_come_step_by_step_and_none_is_padding(lengths: list[int]) -> None:
    padded = torch.tensor(rows_of(lengths, 9))
    layout = packed_layout(torch.tensor(lengths), 9)
    packed = padded.flatten()[layout.positions].tolist()
    assert sorted(packed) == sorted(token for row in padded.tolist() for token in row if token >= 0)
    assert [token % 100 for token in packed] == sorted(token % 100 for token in packed)
    assert list(layout.sizes) == sorted(layout.sizes, reverse=True)
    assert sum(layout.sizes) == len(packed) == sum(lengths)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12))
def test_the_mirrored_token_is_as_far_from_the_other_end(lengths: list[int]) -> None:
    layout = packed_layout(torch.tensor(lengths), 9)
    packed = torch.tensor(rows_of(lengths, 9)).flatten()[layout.positions]
    for token, mirrored in zip(packed.tolist(), packed[layout.mirrored].tolist(), strict=True):
        row = token // 100
        assert mirrored == 100 * row + lengths[row] - 1 - token % 100
    lasts = [100 * row + length - 1 for row, length in enumerate(lengths)]
    assert packed[layout.last].tolist() == lasts


def test_gathering_undoes_scattering_and_each_is_the_others_gradient() -> None:
    positions = torch.tensor([4, 0, 3])
    rows = torch.randn(3, 2, dtype=torch.float64, requires_grad=True)
    assert torch.equal(gather_rows(scatter_rows(rows, positions, 6), positions), rows)
    assert torch.autograd.gradcheck(lambda rows: scatter_rows(rows, positions, 6), rows)
    all_rows = torch.randn(6, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda rows: gather_rows(rows, positions), all_rows)


def test_two_sequences_are_embedded_in_one_lookup_with_unknown_words_folded() -> None:
    embedding = nn.Embedding(6, 3)
    first, second = embed_both(embedding, torch.tensor([2, 5, 9]), torch.tensor([4]))
    assert torch.equal(first, embedding(torch.tensor([2, 5, UNK_ID])))
    assert torch.equal(second, embedding(torch.tensor([4])))


def test_an_empty_sequence_can_be_embedded() -> None:
    first, second = embed_both(nn.Embedding(6, 3), torch.tensor([1]), torch.zeros(0).long())
    assert first.shape == (1, 3)
    assert second.shape == (0, 3)
