from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from tersely.game.batch import Batch
from tersely.game.distilled.masks import (
    MaskSampler,
    SampledMasks,
    build_rules,
    neighbour_thresholds,
)
from tersely.game.distilled.scheme import MonotoneScheme
from tersely.game.paper.rules import UnifRule
from tersely.selection.budget import MAX_TRAINED_BUDGET, MIN_TRAINED_BUDGET
from tersely.text.vocabulary import SHIFT_ID, SPECIAL_TOKENS, Vocabulary
from tests.game.small import random_batch
from tests.game.small_monotone import small_monotone

BY_VALUE = MaskSampler(
    rules=(UnifRule(1.0),), rule_share=0.0, no_budget_share=0.0, noise=1e-9, flip_share=0.0
)
ON_AVERAGE = replace(BY_VALUE, on_average_share=1.0)
LEXICON = Vocabulary([*SPECIAL_TOKENS, "the", "waiter", "."])


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(1)


def sample(sampler: MaskSampler, scheme: MonotoneScheme, batch: Batch) -> SampledMasks:
    with torch.no_grad():
        return sampler.sample(scheme, batch, generator())


def kept_per_sentence(sampler: MaskSampler, scheme: MonotoneScheme, batch: Batch) -> list[int]:
    counts: list[int] = sample(sampler, scheme, batch).keep.sum(dim=1).tolist()
    return counts


def test_one_of_the_rules_is_drawn_for_each_sentence() -> None:
    batch = random_batch(400)
    sampler = replace(BY_VALUE, rules=(UnifRule(0.0), UnifRule(1.0)), rule_share=1.0)
    masks = sample(sampler, small_monotone(), batch)
    shares = masks.keep.float().mean(dim=1)
    assert set(shares.tolist()) == {0.0, 1.0}
    assert float(shares.mean()) == pytest.approx(0.5, abs=0.08)
    assert masks.by_rule.all()
    assert masks.budgets.isnan().all()


@pytest.mark.parametrize("change", [{"noise": 2.0}, {"flip_share": 0.5}])
def test_noise_changes_which_tokens_are_kept_but_not_how_many(change: dict[str, Any]) -> None:
    scheme, batch = small_monotone(loss_scale=20), random_batch(60)
    plain = sample(BY_VALUE, scheme, batch).keep
    noisy = sample(replace(BY_VALUE, **change), scheme, batch).keep
    assert torch.equal(plain.sum(dim=1), noisy.sum(dim=1))
    assert not torch.equal(plain, noisy)


def test_random_values_never_keep_case_marks_and_always_unknown_words_first() -> None:
    tokens = torch.tensor([[SHIFT_ID, SHIFT_ID, SHIFT_ID, 35]]).repeat(50, 1)
    batch = Batch(tokens, torch.full((50,), 4))
    masks = sample(replace(BY_VALUE, flip_share=1.0), small_monotone(), batch)
    uniform = torch.rand(50, generator=generator(), dtype=torch.float64)
    has_keyword = (
        4 * (MIN_TRAINED_BUDGET + (MAX_TRAINED_BUDGET - MIN_TRAINED_BUDGET) * uniform) >= 0.5
    )
    assert torch.equal(masks.keep[:, 3], has_keyword)
    assert not masks.keep[:, :3].any()


def test_on_average_as_many_tokens_are_kept_but_in_other_sentences() -> None:
    scheme, batch = small_monotone(loss_scale=20), random_batch(400)
    even = kept_per_sentence(BY_VALUE, scheme, batch)
    on_average = kept_per_sentence(ON_AVERAGE, scheme, batch)
    total = int(batch.lengths.sum())
    assert sum(on_average) / total == pytest.approx(sum(even) / total, abs=0.03)
    assert on_average != even
    mixed = kept_per_sentence(replace(BY_VALUE, on_average_share=0.3), scheme, batch)
    assert mixed not in (even, on_average)


def test_the_decoder_learns_whether_a_budget_holds_only_on_average() -> None:
    scheme, batch = small_monotone(loss_scale=20), random_batch(60)
    assert sample(ON_AVERAGE, scheme, batch).on_average.all()
    assert not sample(BY_VALUE, scheme, batch).on_average.any()


def test_a_threshold_is_the_median_gain_of_similar_budgets() -> None:
    rng = np.random.default_rng(1)
    budgets = rng.random(300)
    gains = np.exp(10 * budgets)[:, None] * rng.random((300, 2))  # they grow with the budget
    gains[rng.random(gains.shape) < 0.1] = np.nan
    thresholds = neighbour_thresholds(gains, budgets)
    is_above = gains > thresholds[:, None]
    assert is_above[np.isfinite(gains)].mean() == pytest.approx(0.5, abs=0.05)
    assert is_above[budgets < 0.3].mean() == pytest.approx(0.45, abs=0.1), "small budgets count too"


def test_without_gains_there_is_no_threshold() -> None:
    gains = np.full((3, 2), np.nan)
    assert np.isnan(neighbour_thresholds(gains, np.array([0.1, 0.5, 0.3]))).all()


@pytest.mark.parametrize(
    ("name", "expected"),
    [("stopwords", [True, False, True, True]), ("content", [False, False, True, False])],
)
def test_rules_are_built_by_name(name: str, expected: list[bool]) -> None:
    (rule,) = build_rules([name], LEXICON)
    ids = [LEXICON.id_of(token) for token in ("<shift>", "the", "waiter", ".")]
    keep: Tensor = rule(Batch(torch.tensor([ids]), torch.tensor([4])), generator())
    assert keep.tolist() == [expected]


def test_a_rule_named_twice_is_drawn_twice_as_often_and_coins_are_fair() -> None:
    coin, again, content = build_rules(["coin", "coin", "content"], LEXICON)
    assert coin is again is not content
    batch = Batch(torch.full((200, 50), LEXICON.id_of("the")), torch.full((200,), 50))
    keep = coin(batch, generator()).float()
    assert float(keep.mean()) == pytest.approx(0.5, abs=0.02)
    assert float(keep.mean(dim=1).std()) < 0.1  # one rate for all sentences, unlike "chance"
