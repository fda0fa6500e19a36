import pytest
import torch
from torch import Tensor

from tersely.game.batch import Batch, length_mask
from tersely.training.dev_evaluation import BATCH_SENTENCES, evaluate
from tests.game.small import random_batch
from tests.game.small_monotone import split_of


def test_metrics_are_pooled_over_all_batches() -> None:
    sentences = random_batch(2 * BATCH_SENTENCES)
    widths: list[int] = []

    def keep_first(batch: Batch) -> tuple[Tensor, Tensor]:
        widths.append(len(batch.lengths))
        keep = torch.zeros(batch.tokens.shape, dtype=torch.bool)
        keep[:, 0] = True
        losses = length_mask(batch.lengths + 1, batch.tokens.shape[1] + 1).float()
        return keep, 0.5 * losses

    limit = BATCH_SENTENCES + 44
    tokens = int(sentences.lengths[:limit].sum())
    assert evaluate(split_of(sentences), limit, keep_first) == pytest.approx(
        {"kept_fraction": limit / tokens, "cost_tokens": 1.0, "loss_nats_a_token": 0.5}
    )
    assert widths == [BATCH_SENTENCES, 44]
