from itertools import pairwise
from types import SimpleNamespace
from typing import cast

import pytest
import torch

from tersely.game.batch import Batch, length_mask
from tersely.game.distilled.scheme import token_values
from tersely.model.budget_features import DecoderBudget, keyword_counts
from tersely.runtime.monotone import MonotoneRuntime
from tersely.selection.budget import Allocation
from tersely.selection.surprisal import SurprisalSelector
from tersely.text.vocabulary import SHIFT_ID, Vocabulary
from tests.game.small import random_batch
from tests.game.small_monotone import (
    LEXICON,
    SURPRISAL_SETTINGS,
    monotone_folder_of,
    small_monotone,
    words_of,
)

BUDGETS = (0.1, 0.3, 0.5, 0.8, 1.0)


def random_values(batch: Batch) -> torch.Tensor:
    return torch.randn(batch.tokens.shape, generator=torch.Generator().manual_seed(3))


def kept(batch: Batch, budget: float) -> torch.Tensor:
    budgets = torch.full((len(batch.lengths),), budget)
    return small_monotone().keep_top(batch, random_values(batch), counts_at(batch, budgets))


def counts_at(batch: Batch, budgets: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(keyword_counts(budgets.numpy(), batch.lengths.numpy()))


@pytest.mark.parametrize("budget", BUDGETS)
def test_the_budgets_share_is_kept_of_what_can_be_typed(budget: float) -> None:
    batch = random_batch(200)
    keep = kept(batch, budget)
    can_be_typed = length_mask(batch.lengths, keep.shape[1]) & (batch.tokens != SHIFT_ID)
    for row, length in enumerate(batch.lengths.tolist()):
        count = int(keyword_counts(float(torch.tensor(budget)), length))
        assert int(keep[row].sum()) == min(count, int(can_be_typed[row].sum()))


def test_kept_tokens_have_higher_values_than_dropped_ones() -> None:
    batch = random_batch(200, lexicon=30)
    keep, values = kept(batch, 0.5), random_values(batch)
    dropped = length_mask(batch.lengths, keep.shape[1]) & (batch.tokens != SHIFT_ID) & ~keep
    for row in range(200):
        if keep[row].any() and dropped[row].any():
            assert values[row][keep[row]].min() > values[row][dropped[row]].max()


@pytest.mark.parametrize("budget", BUDGETS)
def test_unknown_words_are_kept_first_and_case_marks_never(budget: float) -> None:
    batch = random_batch(200)
    keep = kept(batch, budget)
    unknown = batch.tokens >= 30
    assert not keep[batch.tokens == SHIFT_ID].any()
    assert not keep[~length_mask(batch.lengths, keep.shape[1])].any()
    drops_unknown = (unknown & ~keep).any(dim=1)
    assert not (keep & ~unknown)[drops_unknown].any()
    assert (keep & unknown).any()


def test_more_budget_only_adds_tokens() -> None:
    batch = random_batch(200)
    for fewer, more in pairwise([kept(batch, budget) for budget in BUDGETS]):
        assert (more | ~fewer).all()
        assert more.sum() > fewer.sum()


def test_each_sentence_may_have_a_budget_of_its_own() -> None:
    batch = random_batch(200)
    budgets = torch.tensor(BUDGETS).repeat(40)
    keep = small_monotone().keep_top(batch, random_values(batch), counts_at(batch, budgets))
    for row, budget in enumerate(BUDGETS):
        assert torch.equal(keep[row::5], kept(batch, budget)[row::5])


@pytest.mark.parametrize("budget", BUDGETS)
def test_a_scheme_that_types_case_marks_types_them_like_any_word(budget: float) -> None:
    batch = random_batch(200)
    scheme = small_monotone()
    scheme.types_shift = True
    budgets = torch.full((200,), budget, dtype=torch.float64)
    keep = scheme.keep_top(batch, random_values(batch), counts_at(batch, budgets))
    for row, length in enumerate(batch.lengths.tolist()):
        assert int(keep[row].sum()) == keyword_counts(budget, length)
    assert keep[batch.tokens == SHIFT_ID].any() or budget == 0.1  # unknown words come first


@pytest.mark.promise(10)
@pytest.mark.parametrize("types_shift", [False, True])
@pytest.mark.parametrize("budget", BUDGETS)
def test_the_exported_selector_keeps_the_same_tokens_at_the_same_values(
    budget: float, types_shift: bool
) -> None:
    batch = random_batch(300)
    values = (2 * random_values(batch)).round()  # with many ties
    predicted_losses = torch.stack([values, torch.zeros_like(values)], dim=2).numpy()
    cut = [
        row[:length] for row, length in zip(predicted_losses, batch.lengths.tolist(), strict=True)
    ]
    runtime = SimpleNamespace(vocabulary=Vocabulary(LEXICON[:30]), predict_losses=lambda *_: cut)
    encoder = {**SURPRISAL_SETTINGS["encoder"], "types_marks": types_shift}
    selector = SurprisalSelector(
        cast(MonotoneRuntime, runtime), {**SURPRISAL_SETTINGS, "encoder": encoder}
    )
    decoder_budget = selector.decoder_budget(budget)
    assert decoder_budget is not None
    budgets = torch.full((300,), decoder_budget.share, dtype=torch.float64)
    scheme = small_monotone()
    scheme.types_shift = types_shift
    keep = scheme.keep_top(batch, values, counts_at(batch, budgets))
    mask = length_mask(batch.lengths, keep.shape[1])
    masks = selector.masks(words_of(batch), budget)
    assert masks == [row[inside].tolist() for row, inside in zip(keep, mask, strict=True)]


@torch.no_grad()
def test_masks_keep_the_tokens_of_highest_predicted_value() -> None:
    scheme, batch = small_monotone(loss_scale=20), random_batch(50)
    budgets = torch.full((50,), 0.4, dtype=torch.float64)
    predicted_losses = scheme.predict_losses(batch, budgets)
    assert torch.equal(
        token_values(predicted_losses), predicted_losses[..., 0] - predicted_losses[..., 1]
    )
    keep, counts = scheme.masks(batch, Allocation(0.4)), counts_at(batch, budgets)
    assert torch.equal(keep, scheme.keep_top(batch, token_values(predicted_losses), counts))
    assert not torch.equal(keep, scheme.keep_top(batch, -token_values(predicted_losses), counts))


@torch.no_grad()
@pytest.mark.promise(10)
@pytest.mark.parametrize("types_shift", [False, True])
@pytest.mark.parametrize("threshold", [1e-9, 1e-6, 1e-4, 1e-2])
def test_the_exported_selector_allocates_budgets_as_the_scheme_does(
    threshold: float, types_shift: bool
) -> None:
    scheme, batch = small_monotone(loss_scale=20), random_batch(300)
    scheme.types_shift = types_shift
    rows = [{"budget": b, "typed_fraction": b, "bar": threshold} for b in (0.3, 0.6)]
    encoder = {**SURPRISAL_SETTINGS["encoder"], "types_marks": types_shift}
    selector = SurprisalSelector(
        MonotoneRuntime(monotone_folder_of(scheme)), {"encoder": encoder, "budgets": rows}
    )
    keep = scheme.masks(batch, Allocation(0.3, threshold))
    mask = length_mask(batch.lengths, keep.shape[1])
    masks = selector.masks(words_of(batch), 0.3)
    assert masks == [row[inside].tolist() for row, inside in zip(keep, mask, strict=True)]
    assert selector.decoder_budget(0.3) == DecoderBudget(0.3, on_average=True)
    assert not torch.equal(keep, scheme.masks(batch, Allocation(0.3)))


def test_parameters_are_initialized_within_the_range() -> None:
    scheme = small_monotone(width=0.03)
    drawn = torch.cat([parameter.detach().flatten() for parameter in scheme.parameters()])
    assert drawn.abs().max() <= 0.03
    assert float(drawn.std()) == pytest.approx(0.03 / 3**0.5, rel=0.1)
