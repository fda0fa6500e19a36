from typing import NamedTuple

import pytest
import torch
from torch import Tensor

from tersely.game.batch import Batch, length_mask
from tersely.game.distilled.masks import MAX_LOSS_NATS, MIN_VALUE_NATS, MaskSampler
from tersely.game.distilled.scheme import MonotoneScheme, token_values
from tersely.game.distilled.step import DistillationStep
from tersely.game.paper.rules import RandomRateRule, UnifRule
from tersely.model.budget_features import keyword_counts
from tersely.selection.budget import MAX_TRAINED_BUDGET, MIN_TRAINED_BUDGET
from tests.game.small import random_batch
from tests.game.small_monotone import small_monotone

MIXED = DistillationStep(
    MaskSampler(
        rules=(RandomRateRule(), UnifRule(0.3)),
        rule_share=0.5,
        no_budget_share=0.3,
        noise=0.4,
        flip_share=0.1,
        on_average_share=0.3,
    )
)


class EveryOther:
    def __call__(self, batch: Batch, generator: torch.Generator) -> Tensor:
        return (torch.arange(batch.tokens.shape[1]) % 2 == 0).expand(batch.tokens.shape)


def by_value(*, no_budget_share: float = 0.0) -> DistillationStep:
    """A step whose masks are exactly the encoder's."""
    return DistillationStep(
        MaskSampler((UnifRule(1.0),), 0.0, no_budget_share, noise=1e-9, flip_share=0.0)
    )


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(1)


class Expected(NamedTuple):
    kept: int
    decoder_loss: Tensor
    encoder_loss: Tensor


def expected(scheme: MonotoneScheme, batch: Batch, *, has_budget: bool = True) -> Expected:
    """Compute the losses of `by_value` from its first draws, the budgets."""
    uniform = torch.rand(len(batch.lengths), generator=generator(), dtype=torch.float64)
    budgets = MIN_TRAINED_BUDGET + (MAX_TRAINED_BUDGET - MIN_TRAINED_BUDGET) * uniform
    predicted_losses = scheme.predict_losses(batch, budgets)
    counts = torch.from_numpy(keyword_counts(budgets.numpy(), batch.lengths.numpy()))
    keep = scheme.keep_top(batch, token_values(predicted_losses).clamp(min=MIN_VALUE_NATS), counts)
    if not has_budget:
        budgets = torch.full_like(budgets, torch.nan)
    losses, alignment = scheme.token_losses(batch, keep, budgets)
    mask = length_mask(batch.lengths, batch.tokens.shape[1])
    predicted = predicted_losses.gather(2, alignment.is_placed[:, :-1, None].long()).squeeze(2)[
        mask
    ]
    targets = losses[:, :-1][mask].detach().clamp(max=MAX_LOSS_NATS)
    decoder_loss = losses.sum() / (batch.lengths + 1).sum()
    return Expected(int(keep.sum()), decoder_loss, (predicted - targets).square().mean())


def gradients(scheme: MonotoneScheme, loss: Tensor) -> dict[str, Tensor]:
    scheme.zero_grad()
    torch.autograd.backward(loss)
    return {
        name: parameter.grad.clone()
        for name, parameter in scheme.named_parameters()
        if parameter.grad is not None
    }


def test_the_encoder_does_not_learn_from_masks_by_rule() -> None:
    scheme, batch = small_monotone(loss_scale=20), random_batch(40)
    step = DistillationStep(MaskSampler((EveryOther(),), 1.0, 0.0, noise=1e-9, flip_share=0.0))
    loss, metrics = step.compute_loss(scheme, batch, generator())
    keep = EveryOther()(batch, generator())
    losses, _ = scheme.token_losses(batch, keep, torch.full((40,), torch.nan))
    assert metrics.cost_tokens * 40 == int(((batch.lengths + 1) // 2).sum())
    assert loss.item() == pytest.approx(losses.sum().item() / metrics.tokens, rel=1e-5)
    computed = gradients(scheme, loss)
    assert not any(computed[name].any() for name in computed if name.startswith("encoder."))
    assert computed["decoder.place.weight"].any()


@pytest.mark.parametrize("has_budget", [True, False])
def test_the_loss_is_that_of_decoder_and_encoder(has_budget: bool) -> None:
    scheme, batch = small_monotone(loss_scale=20), random_batch(60)
    step = by_value(no_budget_share=0.0 if has_budget else 1.0)
    loss, metrics = step.compute_loss(scheme, batch, generator())
    parts = expected(scheme, batch, has_budget=has_budget)
    assert metrics.cost_tokens * 60 == pytest.approx(parts.kept)
    assert 0.1 < metrics.kept_fraction < 0.9
    assert loss.item() == pytest.approx((parts.decoder_loss + parts.encoder_loss).item(), rel=1e-5)


def test_encoder_and_decoder_each_learn_from_their_own_loss() -> None:
    scheme, batch = small_monotone(loss_scale=20), random_batch(60)
    computed = gradients(scheme, by_value().compute_loss(scheme, batch, generator())[0])
    of_decoder = gradients(scheme, expected(scheme, batch).decoder_loss)
    of_encoder = gradients(scheme, expected(scheme, batch).encoder_loss)
    assert {name.partition(".")[0] for name in of_decoder} == {"decoder"}
    assert {name.partition(".")[0] for name in of_encoder} == {"encoder"}
    assert computed.keys() == of_decoder.keys() | of_encoder.keys()
    for name, gradient in {**of_decoder, **of_encoder}.items():
        assert torch.allclose(computed[name], gradient, atol=1e-5), name


def test_a_few_steps_lower_both_losses() -> None:
    scheme, batch = small_monotone(), random_batch(40)
    before = expected(scheme, batch)
    optimizer = torch.optim.Adam(scheme.parameters(), lr=0.02)
    for _ in range(25):
        gradients(scheme, MIXED.compute_loss(scheme, batch, generator())[0])
        optimizer.step()
    after = expected(scheme, batch)
    assert after.decoder_loss.item() < 0.9 * before.decoder_loss.item()
    assert after.encoder_loss.item() < 0.7 * before.encoder_loss.item()


def test_the_same_seed_gives_the_same_step() -> None:
    scheme, batch = small_monotone(loss_scale=20), random_batch(40)
    (first_loss, first), (second_loss, second) = (
        MIXED.compute_loss(scheme, batch, generator()) for _ in range(2)
    )
    assert first == second
    assert first_loss.item() == second_loss.item()
    assert MIXED.compute_loss(scheme, batch, torch.Generator().manual_seed(2))[1] != first


def test_the_decoder_gets_the_budgets_that_the_masks_were_drawn_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scheme, batch = small_monotone(loss_scale=20), random_batch(60)
    masks = MIXED.masks.sample(scheme, batch, generator())
    received: list[Tensor] = []
    token_losses = scheme.token_losses

    def record(batch: Batch, keep: Tensor, budgets: Tensor, on_average: Tensor) -> object:
        received.extend([keep, budgets, on_average])
        return token_losses(batch, keep, budgets, on_average)

    monkeypatch.setattr(scheme, "token_losses", record)
    loss, _ = MIXED.compute_loss(scheme, batch, generator())
    assert torch.isfinite(loss)
    assert torch.equal(received[0], masks.keep)
    assert torch.equal(received[1].nan_to_num(-1), masks.budgets.nan_to_num(-1))
    assert torch.equal(received[2], masks.on_average)
    assert masks.on_average.any()
    assert masks.budgets.isnan().any()


def test_metrics_summarise_the_step() -> None:
    batch = random_batch(40)
    _, metrics = MIXED.compute_loss(small_monotone(), batch, generator())
    total = int(batch.lengths.sum())
    assert metrics.tokens == total + 40
    assert metrics.cost_tokens * 40 == pytest.approx(metrics.kept_fraction * total)
