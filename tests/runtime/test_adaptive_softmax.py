import numpy as np
import pytest
import torch

from tersely.game.layers.softmax import AdaptiveSoftmax, FullSoftmax
from tersely.model.monotone_shape import MonotoneShape
from tersely.runtime.adaptive_softmax import VocabularySoftmax
from tests.game.small_monotone import small_monotone_shape

SHAPES = {
    "full": small_monotone_shape(),
    "one cluster": small_monotone_shape(softmax="adaptive", adaptive_cutoffs=(10,)),
    "three clusters": small_monotone_shape(softmax="adaptive", adaptive_cutoffs=(3, 10, 20)),
}


def both(shape: MonotoneShape) -> tuple[torch.nn.Module, VocabularySoftmax]:
    torch.manual_seed(1)
    theirs = (FullSoftmax if shape.softmax == "full" else AdaptiveSoftmax)(shape)
    tensors = {f"decoder.softmax.{name}": one.numpy() for name, one in theirs.state_dict().items()}
    return theirs, VocabularySoftmax.load(tensors, shape)


def spoken() -> torch.Tensor:
    return 3 * torch.randn((5, 8), generator=torch.Generator().manual_seed(2))


@pytest.mark.parametrize("name", SHAPES)
@torch.no_grad()
def test_it_gives_every_word_what_torch_does(name: str) -> None:
    theirs, ours = both(SHAPES[name])
    scores = ours.log_probabilities(spoken().numpy())
    assert scores.shape == (5, 30)
    for word in range(30):
        expected = theirs(spoken(), torch.full((5,), word)).numpy()
        assert np.allclose(scores[:, word], expected, atol=1e-5)


@pytest.mark.parametrize("name", SHAPES)
def test_chances_of_all_words_sum_to_one(name: str) -> None:
    _, ours = both(SHAPES[name])
    chances = np.exp(ours.log_probabilities(spoken().numpy()).astype(np.float64))
    assert np.allclose(chances.sum(axis=1), 1, atol=1e-5)
    assert chances.std(axis=1).min() > 1e-3
