from dataclasses import replace
from itertools import pairwise

import pytest
import torch

from tersely.corpus.dataset import Split
from tersely.game.distilled.masks import MaskSampler
from tersely.game.distilled.step import DistillationStep
from tersely.game.paper.rules import RandomRateRule
from tersely.runtime.registry import open_runtime
from tersely.selection.budget import (
    DEFAULT_SHARPNESS,
    MAX_TRAINED_BUDGET,
    MIN_TRAINED_BUDGET,
    Allocation,
    BudgetTable,
)
from tersely.selection.registry import open_selector
from tersely.training.batches import sequential_batches
from tersely.training.distilled_task import (
    EVALUATED_BUDGETS,
    MEASURED_BUDGETS,
    THRESHOLD_BUDGETS,
    DistilledTask,
    evaluate_allocation,
)
from tests.game.small import random_batch
from tests.game.small_monotone import monotone_folder_of, small_monotone, split_of


@pytest.fixture(scope="module")
def dev() -> Split:
    return split_of(random_batch(300))


@pytest.fixture(scope="module")
def task() -> DistilledTask:
    step = DistillationStep(MaskSampler((RandomRateRule(),), 0.3, 0.15, 0.4, 0.05))
    return DistilledTask(small_monotone(seed=2, loss_scale=20), step, default_budget=0.45)


@torch.no_grad()
def test_dev_metrics_are_those_of_single_sentences(task: DistilledTask, dev: Split) -> None:
    kept = tokens = 0
    loss = 0.0
    for batch in sequential_batches(dev, batch_size=1, limit=270):
        keep = task.scheme.masks(batch, Allocation(0.35))
        kept, tokens = kept + int(keep.sum()), tokens + int(batch.lengths[0])
        budgets = torch.tensor([0.35], dtype=torch.float64)
        loss += float(task.scheme.token_losses(batch, keep, budgets)[0].sum())
    assert evaluate_allocation(task.scheme, dev, Allocation(0.35), sentences=270) == pytest.approx(
        {
            "kept_fraction": kept / tokens,
            "cost_tokens": kept / 270,
            "loss_nats_a_token": loss / (tokens + 270),
        },
        rel=1e-4,
    )
    assert 0 < kept < tokens


def test_an_evaluation_is_the_mean_over_a_few_budgets(task: DistilledTask, dev: Split) -> None:
    rows = [
        evaluate_allocation(task.scheme, dev, Allocation(budget), sentences=50)
        for budget in EVALUATED_BUDGETS
    ]
    metrics = task.evaluate(dev, 50)
    assert len({row["kept_fraction"] for row in rows}) > 1
    assert metrics.keys() == rows[0].keys()
    for key, value in metrics.items():
        assert value == pytest.approx(sum(row[key] for row in rows) / len(EVALUATED_BUDGETS))


def test_the_exported_table_has_the_typed_fraction_of_each_budget(
    task: DistilledTask, dev: Split
) -> None:
    settings = task.selection_settings(dev, 50)
    table = settings["budgets"]
    typed = [row["typed_fraction"] for row in table]
    assert set(MEASURED_BUDGETS) <= set(BudgetTable.from_settings(settings).budgets)
    assert typed == sorted(typed)
    assert typed[-1] - typed[0] > 0.6
    measured = [row for row in table if "loss_nats_a_token" in row]
    assert [row["budget"] for row in measured] == list(MEASURED_BUDGETS)
    for row in measured[::8]:
        metrics = evaluate_allocation(task.scheme, dev, Allocation(row["budget"]), sentences=50)
        assert row["loss_nats_a_token"] == metrics["loss_nats_a_token"]
    for row in table[::25]:
        metrics = evaluate_allocation(task.scheme, dev, Allocation(row["budget"]), sentences=50)
        assert row["typed_fraction"] == pytest.approx(metrics["kept_fraction"])


def test_the_table_covers_all_budgets_that_are_trained() -> None:
    steps = [more - fewer for fewer, more in pairwise(MEASURED_BUDGETS)]
    assert (MEASURED_BUDGETS[0], MEASURED_BUDGETS[-1]) == pytest.approx(
        (MIN_TRAINED_BUDGET, MAX_TRAINED_BUDGET)
    )
    assert steps == pytest.approx([0.05] * len(steps))
    assert MIN_TRAINED_BUDGET < min(EVALUATED_BUDGETS) < max(EVALUATED_BUDGETS) < MAX_TRAINED_BUDGET


def test_with_budgets_on_average_every_row_has_its_threshold(
    task: DistilledTask, dev: Split
) -> None:
    on_average = replace(
        task, step=DistillationStep(replace(task.step.masks, on_average_share=0.5))
    )
    settings = on_average.selection_settings(dev, 300)
    rows = settings["budgets"]
    assert [row["budget"] for row in rows] == list(THRESHOLD_BUDGETS)
    assert set(MEASURED_BUDGETS) <= set(THRESHOLD_BUDGETS)
    measured = [row for row in rows if "loss_nats_a_token" in row]
    assert [row["budget"] for row in measured] == list(MEASURED_BUDGETS)
    for row in measured[::6]:
        metrics = evaluate_allocation(
            task.scheme, dev, Allocation(row["budget"], row["bar"]), sentences=300
        )
        assert row["loss_nats_a_token"] == metrics["loss_nats_a_token"]
        assert row["typed_fraction"] == metrics["kept_fraction"]
    for row in rows[1::7]:
        metrics = evaluate_allocation(
            task.scheme, dev, Allocation(row["budget"], row["bar"]), sentences=300
        )
        assert row["typed_fraction"] == pytest.approx(metrics["kept_fraction"])
    assert len({row["bar"] for row in rows}) > 10
    assert len(BudgetTable.from_settings(settings).thresholds) == len(rows)
    assert settings["encoder"]["sharpness"] == DEFAULT_SHARPNESS
    model = monotone_folder_of(task.scheme, **settings)
    lexicon = [*model.vocabulary.tokens, *(f"w{n}" for n in range(30, 40))]
    sentences = [[lexicon[token] for token in dev[row]] for row in range(300)]
    for budget in (0.15, 0.25, 0.36, 0.5):
        masks = open_selector(model, open_runtime(model)).masks(sentences, budget)
        assert sum(map(sum, masks)) / sum(map(len, masks)) == pytest.approx(budget, abs=0.02)


def test_the_exported_selector_types_its_budget(task: DistilledTask, dev: Split) -> None:
    settings = task.selection_settings(dev, 300)
    assert settings["encoder"] == {
        "kind": "surprisal",
        "noise": 0.4,
        "default_budget": 0.45,
        "types_marks": False,
    }
    model = monotone_folder_of(task.scheme, **settings)
    lexicon = [*model.vocabulary.tokens, *(f"w{n}" for n in range(30, 40))]
    sentences = [[lexicon[token] for token in dev[row]] for row in range(300)]
    masks = open_selector(model, open_runtime(model)).masks(sentences)
    assert sum(map(sum, masks)) / len(dev.tokens) == pytest.approx(0.45, abs=0.03)


def test_every_step_is_the_same_and_there_is_no_other_state(task: DistilledTask) -> None:
    batch = random_batch(20)
    expected, metrics = task.step.compute_loss(task.scheme, batch, torch.Generator().manual_seed(1))
    for step in (0, 1000):
        loss, step_metrics = task.compute_loss(step, batch, torch.Generator().manual_seed(1))
        assert step_metrics == metrics
        assert loss.item() == expected.item()
    assert task.architecture == "monotone"
    assert task.extra_metrics() == task.state_dict() == {}
