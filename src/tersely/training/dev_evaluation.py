"""Judging a run on dev while it trains: kept and loss, and whether they have gone flat."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tersely.corpus.dataset import Split
from tersely.game.batches import Batch, in_order
from tersely.game.distilled.masks import inside
from tersely.game.paper.round import LearnedRound, RuleRound
from tersely.game.paper.scheme import Scheme
from tersely.training.config import TrainingConfig

LAMBDA = "weight_tokens_per_nat"
LAMBDA_SHARE, LEAST_LAMBDA = 0.2, 0.1  # λ follows single batches, so it is never quite still
JUDGE_SEED = 20_191_119  # every judgement draws the same masks, so that they can be compared


@torch.no_grad()
def judge(
    scheme: Scheme,
    game: LearnedRound | RuleRound,
    split: Split,
    *,
    sentences: int,
    sample: bool = False,
) -> dict[str, float]:
    """Keep what the scheme keeps on dev and measure it; pooled over tokens.

    A learned encoder keeps what is likelier kept than not, or draws (`sample`).
    """
    generator = torch.Generator().manual_seed(JUDGE_SEED)
    kept = tokens = count = 0
    loss = 0.0
    for batch in in_order(split, batch_size=256, limit=sentences):
        keep = chosen_masks(scheme, game, batch, generator, sample=sample)
        loss += float(scheme.total_loss(batch, keep).sum())
        kept += int(keep.sum())
        tokens += int(batch.lengths.sum())
        count += len(batch.lengths)
    return {
        "kept_fraction": kept / max(1, tokens),
        "cost_tokens": kept / max(1, count),
        "loss_nats_a_token": loss / max(1, tokens + count),
    }


def chosen_masks(
    scheme: Scheme,
    game: LearnedRound | RuleRound,
    batch: Batch,
    generator: torch.Generator,
    *,
    sample: bool,
) -> Tensor:
    """Keep what the encoder or the rule says: (batch, time)."""
    if isinstance(game, RuleRound):
        keep = game.rule(batch, generator)
    else:
        logits = scheme.encoder(batch.tokens, batch.lengths)
        even = torch.full_like(logits, 0.5)
        drawn = torch.rand(logits.shape, generator=generator) if sample else even
        keep = drawn < logits.sigmoid()
    return keep & inside(batch.lengths, batch.tokens.shape[1])


@torch.no_grad()
def keep_quantiles(scheme: Scheme, split: Split, *, sentences: int) -> list[float]:
    """The keep probabilities of dev's tokens at each percent: what a budget is read from."""
    found = [
        scheme.encoder(batch.tokens, batch.lengths).sigmoid()[
            inside(batch.lengths, batch.tokens.shape[1])
        ]
        for batch in in_order(split, batch_size=256, limit=sentences)
    ]
    probabilities = torch.cat(found).double().numpy()
    return [float(value) for value in np.quantile(probabilities, np.linspace(0, 1, 101))]


@dataclass(frozen=True, slots=True)
class Flatness:
    """Tells when dev figures have stopped moving."""

    window_steps: int
    loss_nats: float
    kept_share: float

    @classmethod
    def of(cls, config: TrainingConfig) -> "Flatness":
        """As the config says."""
        return cls(config.flat_steps, config.flat_loss_nats, config.flat_kept_share)

    def reached(self, judged: Sequence[dict[str, Any]]) -> bool:
        """Compare the two halves of the last window: how fast do their means change?

        λ counts too: while it still moves, the plateau is one that the run will leave.
        """
        if not judged or judged[-1]["step"] - judged[0]["step"] < self.window_steps:
            return False
        end = judged[-1]["step"]
        middle, start = end - self.window_steps / 2, end - self.window_steps
        late = [row for row in judged if row["step"] > middle]
        early = [row for row in judged if start < row["step"] <= middle]
        if not late or not early:
            return False
        limits = {"loss_nats_a_token": self.loss_nats, "kept_fraction": self.kept_share}
        if LAMBDA in judged[-1]:
            if not all(LAMBDA in row for row in (*late, *early)):
                return False  # whether λ still moves is not known yet
            limits[LAMBDA] = LAMBDA_SHARE * max(_mean(late, LAMBDA), LEAST_LAMBDA)
        # Halves lie half a window apart; over all of it the change is twice as much.
        return all(
            2 * abs(_mean(late, key) - _mean(early, key)) < limit for key, limit in limits.items()
        )


def _mean(rows: Sequence[dict[str, Any]], key: str) -> float:
    return float(sum(row[key] for row in rows) / len(rows))
