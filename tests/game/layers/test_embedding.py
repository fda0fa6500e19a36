import torch
from torch import nn

from tersely.game.layers.embedding import look_up_both
from tersely.text.vocabulary import UNK_ID


def test_both_are_looked_up_and_unknown_words_are_one_word() -> None:
    embedding = nn.Embedding(6, 3)
    one, other = torch.tensor([2, 5, 9]), torch.tensor([4])
    first, second = look_up_both(embedding, one, other)
    assert torch.equal(first, embedding(torch.tensor([2, 5, UNK_ID])))
    assert torch.equal(second, embedding(other))


def test_nothing_can_be_looked_up() -> None:
    first, second = look_up_both(nn.Embedding(6, 3), torch.tensor([1]), torch.zeros(0).long())
    assert first.shape == (1, 3)
    assert second.shape == (0, 3)
