"""The distilled game in training: one scheme for all budgets, measured at several."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tersely.game.batches import Batch, in_order
from tersely.game.distilled import GREATEST_BUDGET, LEAST_BUDGET, DistilledRound
from tersely.game.monotone_scheme import MonotoneScheme
from tersely.game.round import RoundRecord
from tersely.model.budgets import with_steps
from tersely.model.monotone_shape import MONOTONE
from tersely.model.worth import SURPRISAL
from tersely.text.prepared import Split
from tersely.text.tokens import SHIFT
from tersely.text.vocab import SHIFT_ID

JUDGED = (0.2, 0.35, 0.5, 0.65)
TABLE = tuple(float(value) for value in np.linspace(LEAST_BUDGET, GREATEST_BUDGET, 18))


@dataclass(frozen=True, slots=True)
class DistilledMatch:
    """A monotone scheme and the round it plays."""

    scheme: MonotoneScheme
    game: DistilledRound
    default_budget: float
    spare_keywords: float = 0.0

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
        """Kept and loss on dev, the mean over a few budgets."""
        rows = [measure(self.scheme, dev, budget, sentences=sentences) for budget in JUDGED]
        return {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}

    def encoder_settings(self, dev: Split, sentences: int) -> dict[str, Any]:
        """How keywords are chosen: what each budget makes a user type, and what it loses.

        The losses of the table are the ε of each budget; between them, steps are counted.
        """
        table = []
        for budget in TABLE:
            found = measure(self.scheme, dev, budget, sentences=sentences)
            table.append(
                {
                    "budget": budget,
                    "typed_fraction": found["kept_fraction"],
                    "loss_nats_a_token": found["loss_nats_a_token"],
                }
            )
        return {
            "encoder": {
                "kind": SURPRISAL,
                "noise": self.game.noise,
                "default_budget": self.default_budget,
                "types_marks": self.scheme.types_marks,
                "spare_keywords": self.spare_keywords,
            },
            "budgets": with_steps(
                table,
                self._texts(dev, sentences),
                types_marks=self.scheme.types_marks,
                spare=self.spare_keywords,
            ),
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
    scheme: MonotoneScheme, split: Split, budget: float, *, sentences: int
) -> dict[str, float]:
    """Keep what a user of this budget would, and measure it; pooled over tokens."""
    kept = tokens = count = 0
    loss = 0.0
    for batch in in_order(split, batch_size=256, limit=sentences):
        keep = scheme.choose(batch, budget)
        budgets = torch.full((len(keep),), budget, dtype=torch.float64)
        loss += float(scheme.token_losses(batch, keep, budgets)[0].sum())
        kept += int(keep.sum())
        tokens += int(batch.lengths.sum())
        count += len(keep)
    return {
        "kept_fraction": kept / max(1, tokens),
        "cost_tokens": kept / max(1, count),
        "loss_nats_a_token": loss / max(1, tokens + count),
    }
