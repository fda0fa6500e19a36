"""The distilled game in training: one scheme for all budgets, measured at several."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tersely.corpus.dataset import Split
from tersely.game.batches import Batch, in_order
from tersely.game.distilled.scheme import MonotoneScheme, worth
from tersely.game.distilled.teacher import GREATEST_BUDGET, LEAST_BUDGET, DistilledRound
from tersely.game.paper.round import RoundRecord
from tersely.model.budget_features import keyword_counts
from tersely.model.shapes import MONOTONE
from tersely.selection.budget import (
    DEFAULT_SHARPNESS,
    Allocation,
    MarginalGains,
    marginal_gains,
    rank,
    refine_budget_rows,
    threshold_for,
)
from tersely.selection.surprisal import SURPRISAL
from tersely.text.tokens import SHIFT
from tersely.text.vocabulary import SHIFT_ID

JUDGED = (0.2, 0.35, 0.5, 0.65)
FREE_TABLE = tuple(round(float(one), 3) for one in np.linspace(LEAST_BUDGET, GREATEST_BUDGET, 35))
TABLE = FREE_TABLE[::2]


@dataclass(frozen=True, slots=True)
class DistilledMatch:
    """A monotone scheme and the round it plays."""

    scheme: MonotoneScheme
    game: DistilledRound
    default_budget: float

    @property
    def architecture(self) -> str:
        """The monotone one."""
        return MONOTONE

    def play(
        self, step: int, batch: Batch, generator: torch.Generator
    ) -> tuple[Tensor, RoundRecord]:
        """Play the same round at every step."""
        return self.game.play(self.scheme, batch, generator)

    def finish(self, step: int, played: RoundRecord) -> None:
        """Nothing answers to the round."""

    def figures(self) -> dict[str, float]:
        """Nothing besides the record."""
        return {}

    def judge(self, dev: Split, sentences: int) -> dict[str, float]:
        """Kept and loss on dev, the mean over a few budgets, spent evenly."""
        spent = [Allocation(budget) for budget in JUDGED]
        rows = [measure(self.scheme, dev, allocation, sentences=sentences) for allocation in spent]
        return {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}

    def encoder_settings(self, dev: Split, sentences: int) -> dict[str, Any]:
        """How keywords are chosen, and what each budget makes a user type."""
        encoder = {
            "kind": SURPRISAL,
            "noise": self.game.noise,
            "default_budget": self.default_budget,
            "types_marks": self.scheme.types_marks,
        }
        if not self.game.free_share:
            return {"encoder": encoder, "budgets": self._evenly(dev, sentences)}
        encoder["sharpness"] = DEFAULT_SHARPNESS
        return {"encoder": encoder, "budgets": self._freely(dev, sentences)}

    def _evenly(self, dev: Split, sentences: int) -> list[dict[str, float]]:
        """What budgets lose, the ε of each, and between them how many words each step types."""
        return refine_budget_rows(
            [self._row(dev, Allocation(budget), sentences) for budget in TABLE],
            self._texts(dev, sentences),
            types_marks=self.scheme.types_marks,
        )

    def _freely(self, dev: Split, sentences: int) -> list[dict[str, float]]:
        """The bars at which budgets are what is typed in the mean, and what some of them lose."""
        rows = []
        for budget in FREE_TABLE:
            bar, typed = bar_on(self.scheme, dev, budget, sentences=sentences)
            row = {"budget": budget, "typed_fraction": typed}
            if budget in TABLE:
                row = self._row(dev, Allocation(budget, bar), sentences)
            rows.append({**row, "bar": bar})
        return rows

    def _row(self, dev: Split, allocation: Allocation, sentences: int) -> dict[str, float]:
        found = measure(self.scheme, dev, allocation, sentences=sentences)
        return {
            "budget": allocation.share,
            "typed_fraction": found["kept_fraction"],
            "loss_nats_a_token": found["loss_nats_a_token"],
        }

    def _texts(self, dev: Split, sentences: int) -> list[list[str]]:
        """Sentences of dev, of which only the case marks matter."""
        rows = (dev[place] for place in range(min(sentences, len(dev))))
        return [[SHIFT if token == SHIFT_ID else "" for token in row.tolist()] for row in rows]

    def state(self) -> dict[str, Any]:
        """All there is are parameters."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Nothing to restore."""


@torch.no_grad()
def measure(
    scheme: MonotoneScheme, split: Split, allocation: Allocation, *, sentences: int
) -> dict[str, float]:
    """Keep what a user who spends so would, and measure it; pooled over tokens."""
    kept = tokens = count = 0
    loss = 0.0
    for batch in in_order(split, batch_size=256, limit=sentences):
        keep = scheme.choose(batch, allocation)
        budgets = torch.full((len(keep),), allocation.share, dtype=torch.float64)
        freely = allocation.threshold is not None
        loss += float(scheme.token_losses(batch, keep, budgets, freely)[0].sum())
        kept += int(keep.sum())
        tokens += int(batch.lengths.sum())
        count += len(keep)
    return {
        "kept_fraction": kept / max(1, tokens),
        "cost_tokens": kept / max(1, count),
        "loss_nats_a_token": loss / max(1, tokens + count),
    }


@torch.no_grad()
def bar_on(
    scheme: MonotoneScheme, split: Split, share: float, *, sentences: int
) -> tuple[float, float]:
    """The bar at which this share of the tokens is typed, freely, and what is typed with it."""
    found, tokens = [], 0
    for batch in in_order(split, batch_size=256, limit=sentences):
        lengths = batch.lengths.numpy()
        costs = scheme.costs(batch, torch.full((len(lengths),), share, dtype=torch.float64))
        ranked = rank(scheme.excepted(batch, worth(costs)).numpy(), costs.numpy(), lengths)
        found.append(marginal_gains(ranked, keyword_counts(share, lengths)))
        tokens += int(lengths.sum())
    steps = MarginalGains(
        np.concatenate([one.min_counts for one in found]),
        np.concatenate([one.gains for one in found]),
    )
    bar = threshold_for(steps, share * tokens)
    return bar, int(steps.counts_above(bar).sum()) / max(1, tokens)
