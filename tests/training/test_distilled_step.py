from dataclasses import replace
from itertools import pairwise

import pytest
import torch

from tersely.corpus.dataset import Split
from tersely.game.batches import in_order
from tersely.game.distilled.teacher import GREATEST_BUDGET, LEAST_BUDGET, DistilledRound
from tersely.game.paper.rules import RandomRateRule
from tersely.runtime.registry import open_runtime
from tersely.selection.budget import DEFAULT_SHARPNESS, Allocation, BudgetTable
from tersely.selection.registry import open_selector
from tersely.training.distilled_step import FREE_TABLE, JUDGED, TABLE, DistilledMatch, measure
from tests.game.small import random_batch
from tests.game.small_monotone import monotone_folder_of, small_monotone, split_of


@pytest.fixture(scope="module")
def dev() -> Split:
    return split_of(random_batch(300))


@pytest.fixture(scope="module")
def match() -> DistilledMatch:
    game = DistilledRound((RandomRateRule(),), 0.3, 0.15, 0.4, 0.05)
    return DistilledMatch(small_monotone(seed=2, cost_scale=20), game, default_budget=0.45)


@torch.no_grad()
def test_figures_are_those_of_each_sentence_alone(match: DistilledMatch, dev: Split) -> None:
    kept = tokens = 0
    loss = 0.0
    for batch in in_order(dev, batch_size=1, limit=270):
        keep = match.scheme.choose(batch, Allocation(0.35))
        kept, tokens = kept + int(keep.sum()), tokens + int(batch.lengths[0])
        told = torch.tensor([0.35], dtype=torch.float64)
        loss += float(match.scheme.token_losses(batch, keep, told)[0].sum())
    assert measure(match.scheme, dev, Allocation(0.35), sentences=270) == pytest.approx(
        {
            "kept_fraction": kept / tokens,
            "cost_tokens": kept / 270,
            "loss_nats_a_token": loss / (tokens + 270),
        },
        rel=1e-4,
    )
    assert 0 < kept < tokens


def test_a_judgement_is_the_mean_over_a_few_budgets(match: DistilledMatch, dev: Split) -> None:
    rows = [measure(match.scheme, dev, Allocation(budget), sentences=50) for budget in JUDGED]
    judged = match.judge(dev, 50)
    assert len({row["kept_fraction"] for row in rows}) > 1
    assert judged.keys() == rows[0].keys()
    for key, value in judged.items():
        assert value == pytest.approx(sum(row[key] for row in rows) / len(JUDGED))


def test_the_settings_say_what_each_budget_makes_a_user_type(
    match: DistilledMatch, dev: Split
) -> None:
    settings = match.encoder_settings(dev, 50)
    table = settings["budgets"]
    typed = [row["typed_fraction"] for row in table]
    assert set(TABLE) <= set(BudgetTable.from_settings(settings).budgets)
    assert typed == sorted(typed)
    assert typed[-1] - typed[0] > 0.6
    measured = [row for row in table if "loss_nats_a_token" in row]
    assert [row["budget"] for row in measured] == list(TABLE)
    for row in measured[::8]:
        found = measure(match.scheme, dev, Allocation(row["budget"]), sentences=50)
        assert row["loss_nats_a_token"] == found["loss_nats_a_token"]
    for row in table[::25]:
        found = measure(match.scheme, dev, Allocation(row["budget"]), sentences=50)
        assert row["typed_fraction"] == pytest.approx(found["kept_fraction"])


def test_the_table_reaches_over_all_budgets_that_are_trained() -> None:
    steps = [more - fewer for fewer, more in pairwise(TABLE)]
    assert (TABLE[0], TABLE[-1]) == pytest.approx((LEAST_BUDGET, GREATEST_BUDGET))
    assert steps == pytest.approx([0.05] * len(steps))
    assert LEAST_BUDGET < min(JUDGED) < max(JUDGED) < GREATEST_BUDGET


def test_freely_every_row_has_the_bar_at_which_its_budget_is_typed(
    match: DistilledMatch, dev: Split
) -> None:
    free = replace(match, game=replace(match.game, free_share=0.5))
    settings = free.encoder_settings(dev, 300)
    rows = settings["budgets"]
    assert [row["budget"] for row in rows] == list(FREE_TABLE)
    assert set(TABLE) <= set(FREE_TABLE)
    measured = [row for row in rows if "loss_nats_a_token" in row]
    assert [row["budget"] for row in measured] == list(TABLE)
    for row in measured[::6]:
        found = measure(match.scheme, dev, Allocation(row["budget"], row["bar"]), sentences=300)
        assert row["loss_nats_a_token"] == found["loss_nats_a_token"]
        assert row["typed_fraction"] == found["kept_fraction"]
    for row in rows[1::7]:
        found = measure(match.scheme, dev, Allocation(row["budget"], row["bar"]), sentences=300)
        assert row["typed_fraction"] == pytest.approx(found["kept_fraction"])
    assert len({row["bar"] for row in rows}) > 10
    assert len(BudgetTable.from_settings(settings).thresholds) == len(rows)
    assert settings["encoder"]["sharpness"] == DEFAULT_SHARPNESS
    model = monotone_folder_of(match.scheme, **settings)
    lexicon = [*model.vocabulary.tokens, *(f"w{n}" for n in range(30, 40))]
    sentences = [[lexicon[token] for token in dev[row]] for row in range(300)]
    for budget in (0.15, 0.25, 0.36, 0.5):
        masks = open_selector(model, open_runtime(model)).masks(sentences, budget)
        assert sum(map(sum, masks)) / sum(map(len, masks)) == pytest.approx(budget, abs=0.02)


def test_a_model_with_these_settings_types_its_budget(match: DistilledMatch, dev: Split) -> None:
    settings = match.encoder_settings(dev, 300)
    assert settings["encoder"] == {
        "kind": "surprisal",
        "noise": 0.4,
        "default_budget": 0.45,
        "types_marks": False,
    }
    model = monotone_folder_of(match.scheme, **settings)
    lexicon = [*model.vocabulary.tokens, *(f"w{n}" for n in range(30, 40))]
    sentences = [[lexicon[token] for token in dev[row]] for row in range(300)]
    masks = open_selector(model, open_runtime(model)).masks(sentences)
    assert sum(map(sum, masks)) / len(dev.tokens) == pytest.approx(0.45, abs=0.03)


def test_it_plays_its_round_at_every_step(match: DistilledMatch) -> None:
    batch = random_batch(20)
    expected, record = match.game.play(match.scheme, batch, torch.Generator().manual_seed(1))
    for step in (0, 1000):
        scalar, played = match.play(step, batch, torch.Generator().manual_seed(1))
        assert played == record
        assert scalar.item() == expected.item()
    assert match.architecture == "monotone"
    assert match.figures() == match.state() == {}
