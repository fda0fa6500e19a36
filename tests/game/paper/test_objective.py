import pytest
import torch

from tersely.game.paper.objective import Constrained, Linear


def constrained(**changes) -> Constrained:
    values = {"epsilon": 0.5, "start": 5.0, "learning_rate": 0.01, "ascent": "sgd"}
    return Constrained(**{**values, **changes})


def test_rewards_are_those_of_the_paper() -> None:
    cost, loss = torch.tensor([3.0, 4.0]), torch.tensor([0.5, 1.5])
    assert Linear(2.0).reward(cost, loss).tolist() == [4.0, 7.0]
    assert constrained(start=2.0).reward(cost, loss).tolist() == [3.0, 6.0]


@pytest.mark.parametrize("ascent", ["adam", "sgd"])
def test_lambda_climbs_above_epsilon_and_sinks_below(ascent: str) -> None:
    above, below = constrained(ascent=ascent), constrained(ascent=ascent)
    for _ in range(10):
        above.update(1.5)
        below.update(0.1)
    assert above.weight == pytest.approx(5.1, abs=0.02)
    assert below.weight < 5.0


def test_a_plain_step_is_rate_times_violation() -> None:
    objective = constrained()
    objective.update(0.8)
    assert objective.weight == pytest.approx(5.003)


def test_lambda_never_falls_below_zero() -> None:
    objective = constrained(start=0.001)
    for _ in range(100):
        objective.update(0.0)
    assert objective.weight == 0.0


@pytest.mark.parametrize("ascent", ["adam", "sgd"])
def test_a_restored_objective_goes_on_alike(ascent: str) -> None:
    one, other = constrained(ascent=ascent), constrained(ascent=ascent)
    for loss in (0.9, 0.2, 0.7):
        one.update(loss)
    other.restore(one.state())
    for loss in (0.4, 0.6, 1.2):
        one.update(loss)
        other.update(loss)
        assert one.weight == other.weight
    assert one.state() == other.state()


def test_linear_does_not_move() -> None:
    objective = Linear(4.2)
    objective.update(9.0)
    assert objective.weight == 4.2
    objective.restore(objective.state())
    assert objective.state() == {"weight": 4.2}
