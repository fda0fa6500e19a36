"""Masks that a monotone scheme is trained on.

Each sentence draws a budget. Most sentences are masked by the encoder's predictions, with noise
added, at that budget: either in every sentence, or only on average over sentences of similar
budgets (selection/budget.py). The others are masked by a rule that imitates how people choose
keywords, at no budget.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.lib.stride_tricks import sliding_window_view
from torch import Tensor

from tersely.game.batch import Batch
from tersely.game.distilled.scheme import MonotoneScheme, token_values
from tersely.game.paper.rules import MaskRule, RandomRateRule, StopwordRule, UnifRule
from tersely.model.budget_features import keyword_counts
from tersely.selection.budget import (
    MAX_TRAINED_BUDGET,
    MIN_TRAINED_BUDGET,
    Floats,
    marginal_gains,
    sort_by_value,
)
from tersely.text.keywords import Stopword
from tersely.text.vocabulary import Vocabulary

MAX_LOSS_NATS = 12.0  # losses above it are clipped, and random token values lie below it
MIN_VALUE_NATS = 0.01  # below it token values differ only by noise
NEIGHBOURS = 17  # sentences of similar budgets that share one threshold


def _stopwords(lexicon: Vocabulary) -> MaskRule:
    return StopwordRule(Stopword(0.0), lexicon)


def _content_words(lexicon: Vocabulary) -> MaskRule:
    return StopwordRule(Stopword(0.0, drop_shift=True, drop_punctuation=True), lexicon)


RULES: dict[str, Callable[[Vocabulary], MaskRule]] = {
    "chance": lambda _: RandomRateRule(),
    "coin": lambda _: UnifRule(0.5),
    "stopwords": _stopwords,
    "content": _content_words,
}
"""How people may choose keywords: the values of `distillation.rules`."""


def build_rules(names: Sequence[str], lexicon: Vocabulary) -> tuple[MaskRule, ...]:
    """Build the named rules; a name that occurs twice is drawn twice as often."""
    rules = {name: RULES[name](lexicon) for name in names}
    return tuple(rules[name] for name in names)


@dataclass(frozen=True, slots=True)
class SampledMasks:
    """The masks of a batch, and the inputs they were drawn with."""

    keep: Tensor  # (batch, time), bool
    predicted_losses: Tensor  # (batch, time, 2): predicted by the encoder, with gradient
    by_rule: Tensor  # (batch,), bool: masked by a rule
    budgets: Tensor  # (batch,): the budget that the decoder is conditioned on, NaN for none
    on_average: Tensor  # (batch,), bool: the budget holds only on average


@dataclass(frozen=True, slots=True)
class MaskSampler:
    """Draws masks for a batch. Shares are fractions of the sentences unless noted."""

    rules: Sequence[MaskRule]  # one is drawn for a sentence
    rule_share: float  # masked by a rule instead of by the encoder
    no_budget_share: float  # masked by the encoder, but without a budget for the decoder
    noise: float  # standard deviation of the logarithm of a token value
    flip_share: float  # of tokens, whose value is random instead of predicted
    on_average_share: float = 0.0  # masked by the encoder, with a budget that holds only on average

    def sample(
        self, scheme: MonotoneScheme, batch: Batch, generator: torch.Generator
    ) -> SampledMasks:
        """Draw budgets and masks."""
        count = len(batch.lengths)
        uniform = torch.rand(count, generator=generator, dtype=torch.float64)
        budgets = MIN_TRAINED_BUDGET + (MAX_TRAINED_BUDGET - MIN_TRAINED_BUDGET) * uniform
        predicted_losses = scheme.predict_losses(batch, budgets)
        values = self._add_noise(token_values(predicted_losses.detach()), generator)
        by_rule = torch.rand(count, generator=generator) < self.rule_share
        counts, on_average = self._count_keywords(
            scheme, batch, predicted_losses.detach(), values, budgets, generator
        )
        keep = torch.where(
            by_rule[:, None],
            self._mask_by_rules(batch, generator),
            scheme.keep_top(batch, values, counts),
        )
        has_no_budget = by_rule | (torch.rand(count, generator=generator) < self.no_budget_share)
        budgets = budgets.masked_fill(has_no_budget, math.nan)
        return SampledMasks(keep, predicted_losses, by_rule, budgets, on_average)

    def _count_keywords(
        self,
        scheme: MonotoneScheme,
        batch: Batch,
        predicted_losses: Tensor,
        values: Tensor,
        budgets: Tensor,
        generator: torch.Generator,
    ) -> tuple[Tensor, Tensor]:
        """Return the number of keywords (batch,), and where budgets hold only on average."""
        lengths = batch.lengths.numpy()
        even = keyword_counts(budgets.numpy(), lengths)
        if not self.on_average_share:
            return torch.from_numpy(even), torch.zeros(len(even), dtype=torch.bool)
        ranked = sort_by_value(
            scheme.fix_special_values(batch, values).numpy(), predicted_losses.numpy(), lengths
        )
        gains = marginal_gains(ranked, even)
        free = gains.counts_above(neighbour_thresholds(gains.gains, budgets.numpy()))
        on_average = torch.rand(len(even), generator=generator) < self.on_average_share
        counts = torch.where(on_average, torch.from_numpy(free), torch.from_numpy(even))
        return counts, on_average

    def _mask_by_rules(self, batch: Batch, generator: torch.Generator) -> Tensor:
        """Mask each sentence by a rule drawn for it: (batch, time)."""
        drawn = torch.randint(len(self.rules), (len(batch.lengths), 1), generator=generator)
        masks = torch.stack([rule(batch, generator) for rule in self.rules])
        keep: Tensor = masks.take_along_dim(drawn[None].expand(1, *batch.tokens.shape), 0)[0]
        return keep

    def _add_noise(self, values: Tensor, generator: torch.Generator) -> Tensor:
        """Add noise to token values, so that the encoder also learns from other masks."""
        factors = torch.exp(self.noise * torch.randn(values.shape, generator=generator))
        is_random = torch.rand(values.shape, generator=generator) < self.flip_share
        random = MAX_LOSS_NATS * torch.rand(values.shape, generator=generator)
        return torch.where(is_random, random, values.clamp(min=MIN_VALUE_NATS) * factors)


def neighbour_thresholds(gains: Floats, budgets: Floats) -> Floats:
    """Return for each row the median gain (rows, 2) among rows of similar budgets (rows,)."""
    order, margin = np.argsort(budgets), NEIGHBOURS // 2
    padded = np.pad(gains[order], ((margin, margin), (0, 0)), constant_values=np.nan)
    windows = sliding_window_view(padded, NEIGHBOURS, axis=0).reshape(len(gains), -1)
    ascending = np.sort(windows, axis=1)  # NaN last
    middle = (np.isfinite(windows).sum(axis=1) - 1).clip(0) // 2
    thresholds = np.empty(len(gains))
    thresholds[order] = ascending[np.arange(len(gains)), middle]
    return thresholds
