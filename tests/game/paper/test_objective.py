from typing import Any

import pytest
import torch

from tersely.game.paper.objective import Constrained, Linear


def constrained(**changes: Any) -> Constrained:
    values: dict[str, Any] = {
        "epsilon": 0.5,
        "initial_multiplier": 5.0,
        "learning_rate": 0.01,
        "ascent": "sgd",
    }
    return Constrained(**{**values, **changes})


def test_rewards_are_those_of_the_paper() -> None:
    cost, loss = torch.tensor([3.0, 4.0]), torch.tensor([0.5, 1.5])
    assert Linear(2.0).penalised_costs(cost, loss).tolist() == [4.0, 7.0]
    assert constrained(initial_multiplier=2.0).penalised_costs(cost, loss).tolist() == [3.0, 6.0]


@pytest.mark.parametrize("ascent", ["adam", "sgd"])
def test_lambda_rises_above_epsilon_and_falls_below(ascent: str) -> None:
    above, below = constrained(ascent=ascent), constrained(ascent=ascent)
    for _ in range(10):
        above.update(1.5)
        below.update(0.1)
    assert above.multiplier == pytest.approx(5.1, abs=0.02)
    assert below.multiplier < 5.0


def test_a_plain_step_is_the_rate_times_loss_minus_epsilon() -> None:
    objective = constrained()
    objective.update(0.8)
    assert objective.multiplier == pytest.approx(5.003)


def test_lambda_never_falls_below_zero() -> None:
    objective = constrained(initial_multiplier=0.001)
    for _ in range(100):
        objective.update(0.0)
    assert objective.multiplier == 0.0


@pytest.mark.parametrize("ascent", ["adam", "sgd"])
def test_a_restored_objective_continues_identically(ascent: str) -> None:
    first, second = constrained(ascent=ascent), constrained(ascent=ascent)
    for loss in (0.9, 0.2, 0.7):
        first.update(loss)
    second.load_state_dict(first.state_dict())
    for loss in (0.4, 0.6, 1.2):
        first.update(loss)
        second.update(loss)
        assert first.multiplier == second.multiplier
    assert first.state_dict() == second.state_dict()


def test_the_lambda_of_linear_is_fixed() -> None:
    objective = Linear(4.2)
    objective.update(9.0)
    assert objective.multiplier == 4.2
    objective.load_state_dict(objective.state_dict())
    assert objective.state_dict() == {"weight": 4.2}
