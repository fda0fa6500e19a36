"""Softmax over the vocabulary, full or adaptive, evaluated at the target.

Training needs only the log-probability of the target word. The adaptive softmax
(Grave et al. 2017, https://arxiv.org/abs/1609.04309) scores a cluster of rare words only
where one of them is the target, and with fewer units. The vocabulary is ordered by
frequency, so the frequent words of the head come first.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from tersely.model.shapes import SoftmaxShape


class FullSoftmax(nn.Module):
    """A softmax that scores every word at every position."""

    def __init__(self, shape: SoftmaxShape) -> None:
        super().__init__()
        self.output = nn.Linear(shape.decoder_units, shape.vocabulary_size)

    def forward(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """Map hidden (n, units) and targets (n,) to log-probabilities (n,)."""
        scores: Tensor = _TargetScore.apply(hidden, self.output.weight, self.output.bias, targets)  # type: ignore[no-untyped-call]
        return scores


class _TargetScore(Function):
    """The log-softmax of a linear layer at the targets.

    The scores (n × vocabulary) are by far the largest tensor of training. Scores,
    probabilities and their gradient share one piece of memory.
    """

    @staticmethod
    def forward(ctx: Any, hidden: Tensor, weight: Tensor, bias: Tensor, targets: Tensor) -> Tensor:
        scores = torch.addmm(bias, hidden, weight.T)  # (n, vocabulary)
        scores -= scores.amax(dim=1, keepdim=True)
        target_scores = scores.gather(1, targets[:, None])
        total = scores.exp_().sum(dim=1, keepdim=True)
        ctx.save_for_backward(hidden, weight, targets, total)
        ctx.exponentials = scores
        return (target_scores - total.log()).squeeze(1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        hidden, weight, targets, total = ctx.saved_tensors
        if ctx.exponentials is None:
            raise RuntimeError("FullSoftmax: backward() can run only once; its memory is reused.")
        d_scores, ctx.exponentials = ctx.exponentials, None
        d_scores *= -gradient[:, None] / total
        d_scores.scatter_add_(1, targets[:, None], gradient[:, None])
        return d_scores @ weight, d_scores.T @ hidden, d_scores.sum(dim=0), None


class AdaptiveSoftmax(nn.Module):
    """A softmax with frequent words in full and rarer ones in clusters of fewer units."""

    def __init__(self, shape: SoftmaxShape) -> None:
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


SOFTMAXES: dict[str, type[FullSoftmax] | type[AdaptiveSoftmax]] = {
    "full": FullSoftmax,
    "adaptive": AdaptiveSoftmax,
}
"""The values of model.softmax."""


def build_softmax(shape: SoftmaxShape) -> FullSoftmax | AdaptiveSoftmax:
    """Build the softmax that a shape names."""
    return SOFTMAXES[shape.softmax](shape)
