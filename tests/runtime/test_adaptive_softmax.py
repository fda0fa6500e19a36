import numpy as np
import pytest
import torch

from tersely.game.layers.softmax import AdaptiveSoftmax, FullSoftmax
from tersely.model.shapes import MonotoneShape
from tersely.runtime.adaptive_softmax import VocabularySoftmax
from tests.game.small_monotone import small_monotone_shape

SHAPES = {
    "full": small_monotone_shape(),
    "one cluster": small_monotone_shape(softmax="adaptive", adaptive_cutoffs=(10,)),
    "three clusters": small_monotone_shape(softmax="adaptive", adaptive_cutoffs=(3, 10, 20)),
}
HIDDEN = 3 * torch.randn((5, 8), generator=torch.Generator().manual_seed(2))


def torch_and_numpy(shape: MonotoneShape) -> tuple[torch.nn.Module, VocabularySoftmax]:
    torch.manual_seed(1)
    theirs = (FullSoftmax if shape.softmax == "full" else AdaptiveSoftmax)(shape)
    state = theirs.state_dict()
    tensors = {f"decoder.softmax.{name}": tensor.numpy() for name, tensor in state.items()}
    return theirs, VocabularySoftmax.load(tensors, shape)


@pytest.mark.parametrize("name", SHAPES)
def test_log_probabilities_equal_those_of_torch(name: str) -> None:
    theirs, ours = torch_and_numpy(SHAPES[name])
    log_probs = ours.log_probs(HIDDEN.numpy())
    assert log_probs.shape == (5, 30)
    with torch.no_grad():
        for token in range(30):
            expected = theirs(HIDDEN, torch.full((5,), token)).numpy()
            assert np.allclose(log_probs[:, token], expected, atol=1e-5)


@pytest.mark.parametrize("name", SHAPES)
def test_probabilities_sum_to_one(name: str) -> None:
    _, ours = torch_and_numpy(SHAPES[name])
    probabilities = np.exp(ours.log_probs(HIDDEN.numpy()).astype(np.float64))
    assert np.allclose(probabilities.sum(axis=1), 1, atol=1e-5)
    assert probabilities.std(axis=1).min() > 1e-3
