"""Softmax over the vocabulary, in full or adaptive, seen from the target alone.

Training needs the log-probability of the target word only. The adaptive softmax
(Grave et al. 2017, https://arxiv.org/abs/1609.04309) computes rare words' scores
only where one is the target, with fewer units: the vocabulary is ordered by
frequency, so its head comes first.
"""

from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from tersely.model.shape import SchemeShape


class FullSoftmax(nn.Module):
    """Every word is scored every time."""

    def __init__(self, shape: SchemeShape) -> None:
        super().__init__()
        self.output = nn.Linear(shape.decoder_units, shape.vocabulary_size)

    def forward(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """Map hidden (n, units) and targets (n,) to log-probabilities (n,)."""
        return -cross_entropy(self.output(hidden), targets, reduction="none")


class AdaptiveSoftmax(nn.Module):
    """Frequent words in full, rarer ones in clusters of fewer units."""

    def __init__(self, shape: SchemeShape) -> None:
        super().__init__()
        self.output = nn.AdaptiveLogSoftmaxWithLoss(
            shape.decoder_units,
            shape.vocabulary_size,
            list(shape.adaptive_cutoffs),
            div_value=shape.adaptive_division,
        )

    def forward(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """Map hidden (n, units) and targets (n,) to log-probabilities (n,)."""
        scores: Tensor = self.output(hidden, targets).output
        return scores
