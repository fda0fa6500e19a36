from itertools import pairwise

import pytest
import torch

from tersely.training.config import TrainingConfig
from tersely.training.schedule import rate_factor, set_rates


def factors(config: TrainingConfig) -> list[float]:
    return [rate_factor(step, config) for step in range(config.max_steps + 1)]


def test_a_constant_rate_stays() -> None:
    assert factors(TrainingConfig(max_steps=50)) == [1.0] * 51


def test_a_linear_rate_falls_evenly_to_nothing() -> None:
    found = factors(TrainingConfig(schedule="linear", max_steps=50))
    assert (found[0], found[25], found[50]) == pytest.approx((1.0, 0.5, 0.0))
    assert all(late - early == pytest.approx(-0.02) for early, late in pairwise(found))


def test_a_linear_rate_never_turns() -> None:
    assert rate_factor(60, TrainingConfig(schedule="linear", max_steps=50)) == 0.0


def test_warming_up_the_rate_rises_step_by_step() -> None:
    found = factors(TrainingConfig(warmup_steps=4, max_steps=10))
    assert found == pytest.approx([0.25, 0.5, 0.75, *[1.0] * 8])


def test_a_linear_rate_can_warm_up_too() -> None:
    found = factors(TrainingConfig(schedule="linear", warmup_steps=4, max_steps=10))
    assert found[:5] == pytest.approx([0.25, 0.5 * 0.9, 0.75 * 0.8, 0.7, 0.6])
    assert found[-1] == 0.0


def test_each_group_keeps_a_rate_of_its_own() -> None:
    groups = [
        {"params": [torch.nn.Parameter(torch.zeros(1))], "lr": rate, "initial_lr": rate}
        for rate in (0.1, 0.02)
    ]
    optimizer = torch.optim.SGD(groups)
    for factor in (0.5, 0.25):
        set_rates(optimizer, factor)
        rates = [group["lr"] for group in optimizer.param_groups]
        assert rates == pytest.approx([0.1 * factor, 0.02 * factor])
