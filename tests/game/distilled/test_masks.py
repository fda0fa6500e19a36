import torch
from hypothesis import given
from hypothesis import strategies as st

from tersely.game.distilled.masks import inside, pack_kept, with_end_mark, within_vocabulary

ROWS = st.lists(st.lists(st.tuples(st.integers(5, 50), st.booleans()), max_size=6), min_size=1)


@given(ROWS, st.booleans())
def test_kept_tokens_slide_to_the_left(rows, end_mark: bool) -> None:
    width = max(1, *map(len, rows))
    tokens = torch.zeros((len(rows), width), dtype=torch.long)
    keep = torch.ones((len(rows), width), dtype=torch.bool)  # past the end it must not matter
    for index, row in enumerate(rows):
        for place, (token, kept) in enumerate(row):
            tokens[index, place], keep[index, place] = token, kept
    lengths = torch.tensor([len(row) for row in rows])
    packed, counts = pack_kept(tokens, keep, lengths, end_mark=end_mark)
    for index, row in enumerate(rows):
        expected = [token for token, kept in row if kept] + [3] * end_mark
        assert packed[index, : counts[index]].tolist() == expected
        assert (packed[index, counts[index] :] == 0).all()


def test_the_end_mark_stands_after_each_sequence() -> None:
    tokens, lengths = with_end_mark(torch.tensor([[7, 8], [9, 0]]), torch.tensor([2, 1]))
    assert tokens.tolist() == [[7, 8, 3], [9, 3, 0]]
    assert lengths.tolist() == [3, 2]


def test_ids_past_the_vocabulary_are_unknown() -> None:
    assert within_vocabulary(torch.tensor([4, 9, 10]), 10).tolist() == [4, 9, 1]


def test_places_before_the_end_are_inside() -> None:
    assert inside(torch.tensor([0, 2]), 3).tolist() == [[False] * 3, [True, True, False]]
