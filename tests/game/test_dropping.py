import pytest
import torch

from tersely.game.dropping import Dropping


def dropping(share: float, *, sentences: int = 3, seed: int = 1) -> Dropping:
    return Dropping(share, torch.Generator().manual_seed(seed), sentences)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_share_is_dropped_and_the_mean_stays(share: float) -> None:
    found = dropping(share, sentences=200)(torch.ones(200, 500), torch.arange(200))
    assert float((found == 0).float().mean()) == pytest.approx(share, abs=0.01)
    assert float(found.mean()) == pytest.approx(1, abs=0.06)
    assert len(found.unique()) == 2


def test_a_sentence_misses_the_same_units_in_all_its_words() -> None:
    sentence = torch.tensor([0, 1, 2, 1, 0])
    found = dropping(0.5)(torch.ones(5, 40), sentence)
    for one in range(3):
        rows = found[sentence == one]
        assert (rows == rows[0]).all()
    assert not torch.equal(found[0], found[1])


def test_the_generator_decides_and_another_call_drops_others() -> None:
    one, same, other = dropping(0.5), dropping(0.5), dropping(0.5, seed=2)
    vectors, sentence = torch.ones(3, 40), torch.arange(3)
    first = one(vectors, sentence)
    assert torch.equal(first, same(vectors, sentence))
    assert not torch.equal(first, other(vectors, sentence))
    assert not torch.equal(first, one(vectors, sentence))


def test_what_is_dropped_has_no_gradient() -> None:
    vectors = torch.ones(3, 40, requires_grad=True)
    found = dropping(0.5)(vectors, torch.arange(3))
    found.sum().backward()
    assert vectors.grad is not None
    assert torch.equal(vectors.grad == 0, found == 0)
