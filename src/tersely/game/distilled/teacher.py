"""The distilled round: the encoder learns what words cost by asking the decoder.

Each sentence draws a budget and is masked by the encoder's own prediction, with noise, or
by one of the rules that stand for people. Some budgets are spent freely (selection/budget.py), among
sentences of nearby budgets. The decoder learns to rebuild the sentence; the encoder learns to
predict the decoder's loss at every token. Nothing is sampled for a gradient.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.lib.stride_tricks import sliding_window_view
from torch import Tensor

from tersely.game.batches import Batch
from tersely.game.distilled.encoder import DROPPED, KEPT
from tersely.game.distilled.masks import inside
from tersely.game.distilled.scheme import MonotoneScheme, worth
from tersely.game.paper.round import RoundRecord, record
from tersely.game.paper.rules import MaskRule
from tersely.model.budget_features import keyword_counts
from tersely.selection.budget import Floats, marginal_gains, rank

LEAST_BUDGET, GREATEST_BUDGET = 0.05, 0.9
MAX_COST = 12.0  # nats; a loss beyond this teaches the encoder no more than "expensive"
LEAST_WORTH = 0.01  # nats; below it words differ by noise alone
NEIGHBOURS = 17  # sentences, among which words are shared out


@dataclass(frozen=True, slots=True)
class DistilledRound:
    """Plays the game for all budgets at once."""

    rules: Sequence[MaskRule]  # how people choose keywords; one is drawn for a sentence
    rule_share: float  # of sentences masked by a rule instead of by the encoder
    untold_share: float  # of the others, whose budget the decoder is not told
    noise: float  # standard deviation of log worth
    flip_share: float  # of words whose worth is drawn instead of predicted
    free_share: float = 0.0  # of sentences by the encoder, whose words are spent freely

    def play(
        self, scheme: MonotoneScheme, batch: Batch, generator: torch.Generator
    ) -> tuple[Tensor, RoundRecord]:
        """Return the scalar to minimise and what happened."""
        count = len(batch.lengths)
        drawn = torch.rand(count, generator=generator, dtype=torch.float64)
        budgets = LEAST_BUDGET + (GREATEST_BUDGET - LEAST_BUDGET) * drawn
        costs = scheme.costs(batch, budgets)
        noisy = self._noisy(worth(costs.detach()), generator)
        by_rule = torch.rand(count, generator=generator) < self.rule_share
        counts, freely = self._spend(scheme, batch, costs.detach(), noisy, budgets, generator)
        keep = torch.where(
            by_rule[:, None],
            self._by_rule(batch, generator),
            scheme.keep_most_worthy(batch, noisy, counts),
        )
        untold = by_rule | (torch.rand(count, generator=generator) < self.untold_share)
        told = budgets.masked_fill(untold, math.nan)
        losses, placed = scheme.token_losses(batch, keep, told, freely)
        a_token = losses.sum(dim=1) / (batch.lengths + 1)
        here = inside(batch.lengths, batch.tokens.shape[1])
        kept = placed.here[:, :-1] & here
        lesson = _lesson(costs, losses.detach()[:, :-1], kept, here & ~by_rule[:, None])
        return losses.sum() / (batch.lengths + 1).sum() + lesson, record(batch, kept, a_token, 0.0)

    def _spend(
        self,
        scheme: MonotoneScheme,
        batch: Batch,
        costs: Tensor,
        worths: Tensor,
        budgets: Tensor,
        generator: torch.Generator,
    ) -> tuple[Tensor, Tensor]:
        """How many tokens of each sentence are typed, and whether that was spent freely."""
        lengths = batch.lengths.numpy()
        even = keyword_counts(budgets.numpy(), lengths)
        if not self.free_share:
            return torch.from_numpy(even), torch.zeros(len(even), dtype=torch.bool)
        ranked = rank(scheme.excepted(batch, worths).numpy(), costs.numpy(), lengths)
        steps = marginal_gains(ranked, even)
        free = steps.counts_above(neighbours_bars(steps.gains, budgets.numpy()))
        freely = torch.rand(len(even), generator=generator) < self.free_share
        return torch.where(freely, torch.from_numpy(free), torch.from_numpy(even)), freely

    def _by_rule(self, batch: Batch, generator: torch.Generator) -> Tensor:
        drawn = torch.randint(len(self.rules), (len(batch.lengths), 1), generator=generator)
        masks = torch.stack([rule(batch, generator) for rule in self.rules])
        chosen: Tensor = masks.take_along_dim(drawn[None].expand(1, *batch.tokens.shape), 0)[0]
        return chosen

    def _noisy(self, worths: Tensor, generator: torch.Generator) -> Tensor:
        """Worth with noise, so that the encoder learns of other masks than its own too."""
        wobble = torch.exp(self.noise * torch.randn(worths.shape, generator=generator))
        flips = torch.rand(worths.shape, generator=generator) < self.flip_share
        anything = MAX_COST * torch.rand(worths.shape, generator=generator)
        return torch.where(flips, anything, worths.clamp(min=LEAST_WORTH) * wobble)


def neighbours_bars(gains: Floats, budgets: Floats) -> Floats:
    """The bar that half of the gains (rows, 2) of sentences of nearby budgets (rows,) are above."""
    order, margin = np.argsort(budgets), NEIGHBOURS // 2
    around = np.pad(gains[order], ((margin, margin), (0, 0)), constant_values=np.nan)
    near = sliding_window_view(around, NEIGHBOURS, axis=0).reshape(len(gains), -1)
    rising = np.sort(near, axis=1)  # NaN last
    middle = (np.isfinite(near).sum(axis=1) - 1).clip(0) // 2
    bars = np.empty(len(gains))
    bars[order] = rising[np.arange(len(gains)), middle]
    return bars


def _lesson(costs: Tensor, losses: Tensor, kept: Tensor, here: Tensor) -> Tensor:
    """The encoder's squared error, where `here` says: all (batch, time), costs with both."""
    predicted = torch.where(kept, costs[..., KEPT], costs[..., DROPPED])
    error = (predicted - losses.clamp(max=MAX_COST)).square()
    return error.masked_fill(~here, 0.0).sum() / here.sum().clamp(min=1)
