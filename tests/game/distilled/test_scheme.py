from itertools import pairwise
from types import SimpleNamespace

import pytest
import torch

from tersely.game.batches import Batch
from tersely.game.distilled.masks import inside
from tersely.game.distilled.scheme import worth
from tersely.model.budget_features import DecoderBudget, keyword_counts
from tersely.runtime.monotone import MonotoneRuntime
from tersely.selection.budget import Allocation
from tersely.selection.surprisal import SurprisalSelector
from tersely.text.vocabulary import SHIFT_ID, Vocabulary
from tests.game.small import random_batch
from tests.game.small_monotone import (
    LEXICON,
    WORTH,
    monotone_folder_of,
    small_monotone,
    words_of,
)

BUDGETS = (0.1, 0.3, 0.5, 0.8, 1.0)


def some_worth(batch: Batch) -> torch.Tensor:
    return torch.randn(batch.tokens.shape, generator=torch.Generator().manual_seed(3))


def kept(batch: Batch, budget: float) -> torch.Tensor:
    budgets = torch.full((len(batch.lengths),), budget)
    return small_monotone().keep_most_worthy(batch, some_worth(batch), evenly(batch, budgets))


def evenly(batch: Batch, budgets: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(keyword_counts(budgets.numpy(), batch.lengths.numpy()))


@pytest.mark.parametrize("budget", BUDGETS)
def test_the_budgets_share_is_kept_of_what_can_be_typed(budget: float) -> None:
    batch = random_batch(200)
    keep = kept(batch, budget)
    free = inside(batch.lengths, keep.shape[1]) & (batch.tokens != SHIFT_ID)
    for row, length in enumerate(batch.lengths.tolist()):
        wanted = keyword_counts(float(torch.tensor(budget)), length)
        assert int(keep[row].sum()) == min(wanted, int(free[row].sum()))


def test_what_is_kept_is_worth_more_than_what_is_not() -> None:
    batch = random_batch(200, lexicon=30)
    keep, worths = kept(batch, 0.5), some_worth(batch)
    dropped = inside(batch.lengths, keep.shape[1]) & (batch.tokens != SHIFT_ID) & ~keep
    for row in range(200):
        if keep[row].any() and dropped[row].any():
            assert worths[row][keep[row]].min() > worths[row][dropped[row]].max()


@pytest.mark.parametrize("budget", BUDGETS)
def test_unknown_words_come_first_and_case_marks_never(budget: float) -> None:
    batch = random_batch(200)
    keep = kept(batch, budget)
    unknown = batch.tokens >= 30
    assert not keep[batch.tokens == SHIFT_ID].any()
    assert not keep[~inside(batch.lengths, keep.shape[1])].any()
    left_out = (unknown & ~keep).any(dim=1)
    assert not (keep & ~unknown)[left_out].any()
    assert (keep & unknown).any()


def test_more_budget_only_adds_tokens() -> None:
    batch = random_batch(200)
    for fewer, more in pairwise([kept(batch, budget) for budget in BUDGETS]):
        assert (more | ~fewer).all()
        assert more.sum() > fewer.sum()


def test_each_sentence_may_have_a_budget_of_its_own() -> None:
    batch = random_batch(200)
    budgets = torch.tensor(BUDGETS).repeat(40)
    keep = small_monotone().keep_most_worthy(batch, some_worth(batch), evenly(batch, budgets))
    for row, budget in enumerate(BUDGETS):
        assert torch.equal(keep[row::5], kept(batch, budget)[row::5])


@pytest.mark.parametrize("budget", BUDGETS)
def test_a_scheme_that_types_case_marks_types_them_like_any_word(budget: float) -> None:
    batch = random_batch(200)
    scheme = small_monotone()
    scheme.types_marks = True
    budgets = torch.full((200,), budget, dtype=torch.float64)
    keep = scheme.keep_most_worthy(batch, some_worth(batch), evenly(batch, budgets))
    for row, length in enumerate(batch.lengths.tolist()):
        assert int(keep[row].sum()) == keyword_counts(budget, length)
    assert keep[batch.tokens == SHIFT_ID].any() or budget == 0.1  # unknown words come first


@pytest.mark.promise(10)
@pytest.mark.parametrize("types_marks", [False, True])
@pytest.mark.parametrize("budget", BUDGETS)
def test_a_model_types_the_same_of_the_same_worth(budget: float, types_marks: bool) -> None:
    batch = random_batch(300)
    worths = (2 * some_worth(batch)).round()  # so that many are worth the same
    costs = torch.stack([worths, torch.zeros_like(worths)], dim=2).numpy()
    own = [row[:length] for row, length in zip(costs, batch.lengths.tolist(), strict=True)]
    runtime = SimpleNamespace(vocabulary=Vocabulary(LEXICON[:30]), costs=lambda *asked: own)
    encoder = {**WORTH["encoder"], "types_marks": types_marks}
    selector = SurprisalSelector(runtime, {**WORTH, "encoder": encoder})
    decoder_budget = selector.decoder_budget(budget)
    assert decoder_budget is not None
    budgets = torch.full((300,), decoder_budget.share, dtype=torch.float64)
    scheme = small_monotone()
    scheme.types_marks = types_marks
    keep = scheme.keep_most_worthy(batch, worths, evenly(batch, budgets))
    here = inside(batch.lengths, keep.shape[1])
    masks = selector.masks(words_of(batch), budget)
    assert masks == [row[mine].tolist() for row, mine in zip(keep, here, strict=True)]


@torch.no_grad()
def test_a_user_types_what_the_encoder_finds_worth_most() -> None:
    scheme, batch = small_monotone(cost_scale=20), random_batch(50)
    budgets = torch.full((50,), 0.4, dtype=torch.float64)
    costs = scheme.costs(batch, budgets)
    assert torch.equal(worth(costs), costs[..., 0] - costs[..., 1])
    keep, counts = scheme.choose(batch, Allocation(0.4)), evenly(batch, budgets)
    assert torch.equal(keep, scheme.keep_most_worthy(batch, worth(costs), counts))
    assert not torch.equal(keep, scheme.keep_most_worthy(batch, -worth(costs), counts))


@torch.no_grad()
@pytest.mark.promise(10)
@pytest.mark.parametrize("types_marks", [False, True])
@pytest.mark.parametrize("bar", [1e-9, 1e-6, 1e-4, 1e-2])
def test_a_model_spends_as_freely_as_its_scheme(bar: float, types_marks: bool) -> None:
    scheme, batch = small_monotone(cost_scale=20), random_batch(300)
    scheme.types_marks = types_marks
    rows = [{"budget": b, "typed_fraction": b, "bar": bar} for b in (0.3, 0.6)]
    encoder = {**WORTH["encoder"], "types_marks": types_marks}
    selector = SurprisalSelector(
        MonotoneRuntime(monotone_folder_of(scheme)), {"encoder": encoder, "budgets": rows}
    )
    keep = scheme.choose(batch, Allocation(0.3, bar))
    here = inside(batch.lengths, keep.shape[1])
    masks = selector.masks(words_of(batch), 0.3)
    assert masks == [row[mine].tolist() for row, mine in zip(keep, here, strict=True)]
    assert selector.decoder_budget(0.3) == DecoderBudget(0.3, on_average=True)
    assert not torch.equal(keep, scheme.choose(batch, Allocation(0.3)))


def test_all_parameters_start_within_the_range() -> None:
    scheme = small_monotone(width=0.03)
    drawn = torch.cat([parameter.detach().flatten() for parameter in scheme.parameters()])
    assert drawn.abs().max() <= 0.03
    assert float(drawn.std()) == pytest.approx(0.03 / 3**0.5, rel=0.1)
