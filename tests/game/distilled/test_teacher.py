from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
import torch
from torch import Tensor

from tersely.game.batches import Batch
from tersely.game.distilled.masks import inside
from tersely.game.distilled.scheme import MonotoneScheme, worth
from tersely.game.distilled.teacher import (
    GREATEST_BUDGET,
    LEAST_BUDGET,
    LEAST_WORTH,
    MAX_COST,
    DistilledRound,
    neighbours_bars,
)
from tersely.game.paper.rules import RandomRateRule, UnifRule
from tersely.model.budget_features import keyword_counts
from tersely.text.vocabulary import SHIFT_ID
from tests.game.small import random_batch
from tests.game.small_monotone import small_monotone

BY_WORTH = DistilledRound(
    rules=(UnifRule(1.0),), rule_share=0.0, untold_share=0.0, noise=1e-9, flip_share=0.0
)
MIXED = DistilledRound(
    rules=(RandomRateRule(), UnifRule(0.3)),
    rule_share=0.5,
    untold_share=0.3,
    noise=0.4,
    flip_share=0.1,
)


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(1)


class EveryOther:
    def __call__(self, batch: Batch, generator: torch.Generator) -> Tensor:
        return (torch.arange(batch.tokens.shape[1]) % 2 == 0).expand(batch.tokens.shape)


class ByHand(NamedTuple):
    kept: int
    loss: Tensor
    lesson: Tensor


def by_hand(scheme: MonotoneScheme, batch: Batch, *, is_told: bool = True) -> ByHand:
    """BY_WORTH, whose first draws are the budgets; the rest of it draws nothing that counts."""
    drawn = torch.rand(len(batch.lengths), generator=generator(), dtype=torch.float64)
    budgets = LEAST_BUDGET + (GREATEST_BUDGET - LEAST_BUDGET) * drawn
    costs = scheme.costs(batch, budgets)
    counts = torch.from_numpy(keyword_counts(budgets.numpy(), batch.lengths.numpy()))
    keep = scheme.keep_most_worthy(batch, worth(costs).clamp(min=LEAST_WORTH), counts)
    told = budgets if is_told else torch.full_like(budgets, torch.nan)
    losses, placed = scheme.token_losses(batch, keep, told)
    here = inside(batch.lengths, batch.tokens.shape[1])
    predicted = costs.gather(2, placed.here[:, :-1, None].long()).squeeze(2)[here]
    targets = losses[:, :-1][here].detach().clamp(max=MAX_COST)
    loss = losses.sum() / (batch.lengths + 1).sum()
    return ByHand(int(keep.sum()), loss, (predicted - targets).square().mean())


def gradients(scheme: MonotoneScheme, scalar: Tensor) -> dict[str, Tensor]:
    scheme.zero_grad()
    scalar.backward()
    return {
        name: parameter.grad.clone()
        for name, parameter in scheme.named_parameters()
        if parameter.grad is not None
    }


def test_by_rule_only_the_rule_says_what_is_kept_and_the_encoder_learns_nothing() -> None:
    scheme, batch = small_monotone(cost_scale=20), random_batch(40)
    by_rule = replace(BY_WORTH, rules=(EveryOther(),), rule_share=1.0)
    scalar, played = by_rule.play(scheme, batch, generator())
    keep = EveryOther()(batch, generator())
    losses, _ = scheme.token_losses(batch, keep, torch.full((40,), torch.nan))
    assert played.cost_tokens * 40 == int(((batch.lengths + 1) // 2).sum())
    assert scalar.item() == pytest.approx(losses.sum().item() / played.tokens, rel=1e-5)
    found = gradients(scheme, scalar)
    assert not any(found[name].any() for name in found if name.startswith("encoder."))
    assert found["decoder.place.weight"].any()


def test_one_of_the_rules_is_drawn_for_each_sentence() -> None:
    batch = random_batch(400)
    by_rules = replace(BY_WORTH, rules=(UnifRule(0.0), UnifRule(1.0)), rule_share=1.0)
    _, played = by_rules.play(small_monotone(), batch, generator())
    assert played.kept_fraction == pytest.approx(0.5, abs=0.08)


@pytest.mark.parametrize("is_told", [True, False])
def test_by_worth_it_keeps_the_most_worthy(is_told: bool) -> None:
    scheme, batch = small_monotone(cost_scale=20), random_batch(60)
    game = replace(BY_WORTH, untold_share=0.0 if is_told else 1.0)
    scalar, played = game.play(scheme, batch, generator())
    expected = by_hand(scheme, batch, is_told=is_told)
    assert played.cost_tokens * 60 == pytest.approx(expected.kept)
    assert 0.1 < played.kept_fraction < 0.9
    assert scalar.item() == pytest.approx((expected.loss + expected.lesson).item(), rel=1e-5)


@pytest.mark.parametrize("change", [{"noise": 2.0}, {"flip_share": 0.5}])
def test_noise_changes_which_words_are_kept_but_not_how_many(change: dict[str, float]) -> None:
    scheme, batch = small_monotone(cost_scale=20), random_batch(60)
    _, plain = BY_WORTH.play(scheme, batch, generator())
    _, noisy = replace(BY_WORTH, **change).play(scheme, batch, generator())
    assert noisy.cost_tokens == plain.cost_tokens
    assert noisy.loss_nats_a_token != pytest.approx(plain.loss_nats_a_token, rel=1e-4)


def test_each_side_learns_from_its_own_loss_alone() -> None:
    scheme, batch = small_monotone(cost_scale=20), random_batch(60)
    found = gradients(scheme, BY_WORTH.play(scheme, batch, generator())[0])
    of_loss = gradients(scheme, by_hand(scheme, batch).loss)
    of_lesson = gradients(scheme, by_hand(scheme, batch).lesson)
    assert {name.partition(".")[0] for name in of_loss} == {"decoder"}
    assert {name.partition(".")[0] for name in of_lesson} == {"encoder"}
    assert found.keys() == of_loss.keys() | of_lesson.keys()
    for name, gradient in {**of_loss, **of_lesson}.items():
        assert torch.allclose(found[name], gradient, atol=1e-5), name


def test_a_few_steps_lower_both_losses() -> None:
    scheme, batch = small_monotone(), random_batch(40)
    before = by_hand(scheme, batch)
    optimizer = torch.optim.Adam(scheme.parameters(), lr=0.02)
    for _ in range(25):
        gradients(scheme, MIXED.play(scheme, batch, generator())[0])
        optimizer.step()
    after = by_hand(scheme, batch)
    assert after.loss.item() < 0.9 * before.loss.item()
    assert after.lesson.item() < 0.7 * before.lesson.item()


def test_the_same_draws_give_the_same_round() -> None:
    scheme, batch = small_monotone(cost_scale=20), random_batch(40)
    (one, first), (other, second) = (MIXED.play(scheme, batch, generator()) for _ in range(2))
    assert first == second
    assert one.item() == other.item()
    assert MIXED.play(scheme, batch, torch.Generator().manual_seed(2))[1] != first


def test_even_drawn_worth_spares_case_marks_and_words_that_can_only_be_copied() -> None:
    tokens = torch.tensor([[SHIFT_ID, SHIFT_ID, SHIFT_ID, 35]]).repeat(50, 1)
    batch = Batch(tokens, torch.full((50,), 4))
    _, played = replace(BY_WORTH, flip_share=1.0).play(small_monotone(), batch, generator())
    drawn = torch.rand(50, generator=generator(), dtype=torch.float64)
    some = 4 * (LEAST_BUDGET + (GREATEST_BUDGET - LEAST_BUDGET) * drawn) >= 0.5
    assert played.cost_tokens == pytest.approx(float(some.double().mean()))


FREE = replace(BY_WORTH, free_share=1.0)


def test_freely_as_many_words_are_typed_but_of_other_sentences() -> None:
    scheme, batch = small_monotone(cost_scale=20), random_batch(400)
    _, even = BY_WORTH.play(scheme, batch, generator())
    _, free = FREE.play(scheme, batch, generator())
    assert free.kept_fraction == pytest.approx(even.kept_fraction, abs=0.03)
    assert free.cost_tokens != even.cost_tokens
    _, some = replace(BY_WORTH, free_share=0.3).play(scheme, batch, generator())
    assert some.cost_tokens not in (even.cost_tokens, free.cost_tokens)


def test_freely_no_length_is_told() -> None:
    scheme, batch = small_monotone(cost_scale=20), random_batch(60)
    scalar, played = FREE.play(scheme, batch, generator())
    told: list[Tensor] = []

    def listen(batch: Batch, keep: Tensor, budgets: Tensor, freely: Tensor) -> None:
        told.append(freely)
        raise StopIteration

    scheme.token_losses = listen
    with pytest.raises(StopIteration):
        FREE.play(scheme, batch, generator())
    assert told[0].all()
    with pytest.raises(StopIteration):
        BY_WORTH.play(scheme, batch, generator())
    assert not told[1].any()
    assert torch.isfinite(scalar)
    assert 0.1 < played.kept_fraction < 0.9


def test_a_bar_divides_the_gains_of_nearby_budgets_in_halves() -> None:
    rng = np.random.default_rng(1)
    budgets = rng.random(300)
    gains = np.exp(10 * budgets)[:, None] * rng.random((300, 2))  # they grow with the budget
    gains[rng.random(gains.shape) < 0.1] = np.nan
    bars = neighbours_bars(gains, budgets)
    above = (gains > bars[:, None])[np.isfinite(gains)]
    assert above.mean() == pytest.approx(0.5, abs=0.05)
    low = (gains > bars[:, None])[budgets < 0.3].mean()
    assert low == pytest.approx(0.45, abs=0.1), "those of small budgets get their share"


def test_where_no_word_can_be_added_there_is_no_bar() -> None:
    nothing = np.full((3, 2), np.nan)
    assert np.isnan(neighbours_bars(nothing, np.array([0.1, 0.5, 0.3]))).all()


def test_a_round_records_what_happened() -> None:
    batch = random_batch(40)
    _, played = MIXED.play(small_monotone(), batch, generator())
    assert played.tokens == int(batch.lengths.sum()) + 40
    assert played.cost_tokens * 40 == pytest.approx(played.kept_fraction * int(batch.lengths.sum()))
