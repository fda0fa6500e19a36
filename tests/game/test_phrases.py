import numpy as np
import torch

from tersely.game.phrases import PhraseTable
from tersely.model.phrases import PHRASES, rows_of
from tests.game.small_monotone import small_monotone_shape

SHAPE = small_monotone_shape(phrase_rows=50, phrase_units=3)


def some_words(count: int = 20) -> torch.Tensor:
    return torch.randint(30, (count, 4), generator=torch.Generator().manual_seed(3))


def test_an_empty_table_says_nothing() -> None:
    assert not PhraseTable(SHAPE)(some_words()).any()


def test_what_is_added_is_what_stands_in_the_rows() -> None:
    made = PhraseTable(SHAPE)
    with torch.no_grad():
        made.table.weight.normal_()
    words = some_words()
    rows = made.table.weight[torch.from_numpy(rows_of(words.numpy(), 50))].flatten(1)
    assert torch.allclose(made(words), rows @ made.output.weight.T, atol=1e-6)
    made.clear()
    assert not made(words).any()


def test_only_rows_that_were_met_have_a_gradient() -> None:
    made, words = PhraseTable(SHAPE), some_words(5)
    made(words).sum().backward()
    gradient = made.table.weight.grad
    assert gradient is not None
    assert gradient.is_sparse
    met = gradient.coalesce().indices()[0].numpy()
    assert set(met) == set(rows_of(words.numpy(), 50).flatten())
    assert len(met) <= 5 * len(PHRASES) < len(made.table.weight)
    assert np.isfinite(gradient.to_dense().numpy()).all()
