import pytest
import torch

from tersely.game.layers.softmax import AdaptiveSoftmax, FullSoftmax
from tests.game.small import small_shape


@pytest.mark.parametrize(
    "softmax",
    [
        FullSoftmax(small_shape()),
        AdaptiveSoftmax(small_shape(softmax="adaptive", adaptive_cutoffs=(10, 20))),
    ],
)
def test_probabilities_of_all_words_sum_to_one(softmax: FullSoftmax | AdaptiveSoftmax) -> None:
    hidden = torch.randn(4, 8)
    probabilities = torch.stack(
        [softmax(hidden, torch.full((4,), word)).exp() for word in range(30)]
    )
    assert torch.allclose(probabilities.sum(dim=0), torch.ones(4), atol=1e-5)
