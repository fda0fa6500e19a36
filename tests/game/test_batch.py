import torch
from hypothesis import given
from hypothesis import strategies as st

from tersely.game.batch import Batch, append_end_mark, fold_unknown, length_mask, pack_kept

ROWS = st.lists(st.lists(st.tuples(st.integers(5, 50), st.booleans()), max_size=6), min_size=1)


@given(ROWS, st.booleans())
def test_kept_tokens_slide_to_the_left(rows: list[list[tuple[int, bool]]], end_mark: bool) -> None:
    width = max(1, *map(len, rows))
    tokens = torch.zeros((len(rows), width), dtype=torch.long)
    keep = torch.ones((len(rows), width), dtype=torch.bool)  # values at padding must be ignored
    for index, row in enumerate(rows):
        for column, (token, kept) in enumerate(row):
            tokens[index, column], keep[index, column] = token, kept
    lengths = torch.tensor([len(row) for row in rows])
    packed, counts = pack_kept(tokens, keep, lengths, end_mark=end_mark)
    for index, row in enumerate(rows):
        expected = [token for token, kept in row if kept] + [3] * end_mark
        assert packed[index, : counts[index]].tolist() == expected
        assert (packed[index, counts[index] :] == 0).all()


def test_the_end_mark_is_appended_to_each_row() -> None:
    tokens, lengths = append_end_mark(torch.tensor([[7, 8], [9, 0]]), torch.tensor([2, 1]))
    assert tokens.tolist() == [[7, 8, 3], [9, 3, 0]]
    assert lengths.tolist() == [3, 2]


def test_ids_past_the_vocabulary_become_unknown() -> None:
    assert fold_unknown(torch.tensor([4, 9, 10]), 10).tolist() == [4, 9, 1]


def test_the_length_mask_marks_positions_before_the_end() -> None:
    assert length_mask(torch.tensor([0, 2]), 3).tolist() == [[False] * 3, [True, True, False]]


def test_a_batch_can_be_repeated() -> None:
    twice = Batch(torch.tensor([[10, 0], [13, 14]]), torch.tensor([1, 2])).repeat(2)
    assert twice.tokens[:, 0].tolist() == [10, 13, 10, 13]
    assert twice.lengths.tolist() == [1, 2, 1, 2]
