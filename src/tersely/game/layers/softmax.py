"""Softmax over the vocabulary, in full or adaptive, seen from the target alone.

Training needs the log-probability of the target word only. The adaptive softmax
(Grave et al. 2017, https://arxiv.org/abs/1609.04309) computes rare words' scores
only where one is the target, with fewer units: the vocabulary is ordered by
frequency, so its head comes first.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from tersely.model.shapes import SoftmaxShape


class FullSoftmax(nn.Module):
    """Every word is scored every time."""

    def __init__(self, shape: SoftmaxShape) -> None:
        super().__init__()
        self.output = nn.Linear(shape.decoder_units, shape.vocabulary_size)

    def forward(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """Map hidden (n, units) and targets (n,) to log-probabilities (n,)."""
        scores: Tensor = _TargetScore.apply(hidden, self.output.weight, self.output.bias, targets)  # type: ignore[no-untyped-call]
        return scores


class _TargetScore(Function):
    """The log-softmax of a linear layer at the targets.

    Scores of all words are by far the largest thing in training (n × vocabulary). They
    become probabilities, and these the gradient, in the same memory.
    """

    @staticmethod
    def forward(ctx: Any, hidden: Tensor, weight: Tensor, bias: Tensor, targets: Tensor) -> Tensor:
        scores = torch.addmm(bias, hidden, weight.T)  # (n, vocabulary)
        scores -= scores.amax(dim=1, keepdim=True)
        found = scores.gather(1, targets[:, None])
        total = scores.exp_().sum(dim=1, keepdim=True)
        ctx.save_for_backward(hidden, weight, targets, total)
        ctx.weighed = scores
        return (found - total.log()).squeeze(1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        hidden, weight, targets, total = ctx.saved_tensors
        if ctx.weighed is None:
            raise RuntimeError("FullSoftmax: the gradient can be taken once only.")
        of_scores, ctx.weighed = ctx.weighed, None
        of_scores *= -gradient[:, None] / total
        of_scores.scatter_add_(1, targets[:, None], gradient[:, None])
        return of_scores @ weight, of_scores.T @ hidden, of_scores.sum(dim=0), None


class AdaptiveSoftmax(nn.Module):
    """Frequent words in full, rarer ones in clusters of fewer units."""

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
