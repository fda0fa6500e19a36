import pytest
import torch

from tersely.game.paper.estimator import LeaveOneOut
from tersely.game.paper.objective import Constrained
from tersely.game.paper.rules import UnifRule
from tersely.game.paper.step import PolicyGradientStep, RuleStep
from tests.game.small import gradient, random_batch, small_scheme


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(1)


def policy_gradient(
    objective: Constrained,
    *,
    floor: float = 0.0,
    entropy_bonus: float = 0.0,
    logit_penalty: float = 0.0,
    scale: bool = True,
) -> PolicyGradientStep:
    return PolicyGradientStep(
        objective, LeaveOneOut(), 2, floor, entropy_bonus, logit_penalty, scale
    )


def constrained(weight: float, rate: float) -> Constrained:
    return Constrained(epsilon=0.1, initial_multiplier=weight, learning_rate=rate, ascent="sgd")


def test_metrics_summarise_the_step() -> None:
    scheme, batch = small_scheme(), random_batch(40)
    loss, metrics = RuleStep(UnifRule(0.5)).compute_loss(scheme, batch, generator())
    assert float(loss.detach()) == metrics.loss_nats_a_token
    assert metrics.tokens == int(batch.lengths.sum()) + 40
    assert metrics.cost_tokens * 40 == metrics.kept_fraction * int(batch.lengths.sum())
    assert 0.3 < metrics.kept_fraction < 0.7


def test_a_rule_does_not_train_the_encoder() -> None:
    scheme = small_scheme()
    loss, _ = RuleStep(UnifRule(0.5)).compute_loss(scheme, random_batch(10), generator())
    torch.autograd.backward(loss)
    assert all(parameter.grad is None for parameter in scheme.encoder.parameters())


def test_lambda_is_updated_after_a_step() -> None:
    objective = constrained(2.0, 0.1)
    step = policy_gradient(objective, floor=0.02, scale=False)
    _, metrics = step.compute_loss(small_scheme(), random_batch(10), generator())
    step.update_objective(metrics)
    assert objective.multiplier > 2.0


@pytest.mark.parametrize("term", ["entropy_bonus", "logit_penalty"])
def test_entropy_bonus_and_logit_penalty_pull_keep_probabilities_towards_a_half(term: str) -> None:
    def bias_gradient(strength: float) -> float:
        scheme = small_scheme(width=0.1)
        scheme.encoder.set_keep_probability(0.99)
        step = policy_gradient(constrained(0.0, 0.0), **{term: strength})  # type: ignore[arg-type]
        loss, _ = step.compute_loss(scheme, random_batch(40), generator())
        torch.autograd.backward(loss)
        return float(gradient(scheme.encoder.keep.bias))

    assert bias_gradient(5.0) > bias_gradient(0.0)
