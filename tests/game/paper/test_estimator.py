import itertools

import pytest
import torch
from torch.nn.functional import logsigmoid

from tersely.game.batch import Batch
from tersely.game.paper.estimator import (
    Baseline,
    LeaveOneOut,
    MovingAverage,
    floor_logits,
    policy_loss,
    sample_masks,
)
from tersely.game.paper.objective import Constrained, Linear, Objective
from tersely.game.paper.scheme import PaperScheme
from tersely.game.paper.step import PolicyGradientStep
from tests.game.small import gradient, small_scheme

SENTENCE = Batch(torch.tensor([[5, 9, 14, 9, 33, 20]]), torch.tensor([6]))


def constrained() -> Constrained:
    return Constrained(epsilon=0.7, initial_multiplier=3.0, learning_rate=0.01, ascent="adam")


OBJECTIVES: dict[str, Objective] = {
    "linear": Linear(4.0),
    "constrained": constrained(),
}


def exact_gradient(scheme: PaperScheme, objective: Objective) -> torch.Tensor:
    """The gradient, in the keep logits, of Σ q(z|x) G(x, z) over all 64 masks."""
    logits = scheme.encoder(SENTENCE.tokens, SENTENCE.lengths).detach().requires_grad_()
    masks = torch.tensor(list(itertools.product([False, True], repeat=6)))
    repeated = SENTENCE.repeat(64)
    with torch.no_grad():
        loss = scheme.loss_per_token(repeated, masks)
    penalised_costs = objective.penalised_costs(masks.sum(dim=1).float(), loss)
    log_q = torch.where(masks, logsigmoid(logits), logsigmoid(-logits)).sum(dim=1)
    torch.autograd.backward((log_q.exp() * penalised_costs).sum())
    return gradient(logits)[0]


def sampled_gradients(
    scheme: PaperScheme, objective: Objective, *, samples: int, draws: int
) -> torch.Tensor:
    """Many independent estimates of the same gradient: (draws, 6)."""
    logits = scheme.encoder(SENTENCE.tokens, SENTENCE.lengths).detach()
    generator = torch.Generator().manual_seed(3)
    baseline: Baseline = LeaveOneOut() if samples > 1 else MovingAverage(0.9)
    if samples == 1:
        baseline.load_state_dict({"value": 2.0})
    gradients = []
    for _ in range(draws):
        leaf = logits.clone().requires_grad_()
        draw = sample_masks(leaf, SENTENCE.lengths, samples=samples, generator=generator)
        with torch.no_grad():
            loss = scheme.loss_per_token(SENTENCE.repeat(samples), draw.keep)
        penalised_costs = objective.penalised_costs(draw.keep.sum(dim=1).float(), loss)
        torch.autograd.backward(
            policy_loss(draw.log_q, penalised_costs, baseline.predict(penalised_costs, samples))
        )
        gradients.append(gradient(leaf)[0])
    return torch.stack(gradients)


@pytest.mark.promise(6)
@pytest.mark.parametrize("samples", [1, 2, 4])
@pytest.mark.parametrize("name", OBJECTIVES)
def test_the_estimate_is_unbiased(name: str, samples: int) -> None:
    torch.manual_seed(0)
    scheme, objective = small_scheme(), OBJECTIVES[name]
    exact = exact_gradient(scheme, objective)
    drawn = sampled_gradients(scheme, objective, samples=samples, draws=3000)
    standard_error = drawn.std(dim=0) / len(drawn) ** 0.5
    assert ((drawn.mean(dim=0) - exact).abs() < 3 * standard_error).all()
    assert exact.abs().max() > 10 * standard_error.max()  # the test can tell right from wrong


@pytest.mark.promise(6)
def test_the_gradient_of_a_training_step_is_the_estimators() -> None:
    """The gradient of the whole step's loss is that of the paper's equations."""
    scheme, objective = small_scheme(), constrained()
    baseline = MovingAverage(0.9)
    baseline.load_state_dict({"value": 2.0})
    step = PolicyGradientStep(
        objective, baseline, 1, 0.0, 0.0, 0.0, scale_decoder_by_multiplier=True
    )
    loss, _ = step.compute_loss(scheme, SENTENCE, torch.Generator().manual_seed(5))
    torch.autograd.backward(loss)
    computed = {name: gradient(parameter).clone() for name, parameter in scheme.named_parameters()}
    scheme.zero_grad()
    logits = scheme.encoder(SENTENCE.tokens, SENTENCE.lengths)
    draw = sample_masks(
        logits, SENTENCE.lengths, samples=1, generator=torch.Generator().manual_seed(5)
    )
    loss = scheme.loss_per_token(SENTENCE, draw.keep)
    penalised_cost = draw.keep.sum() + objective.multiplier * (loss.detach() - objective.epsilon)
    torch.autograd.backward((draw.log_q * (penalised_cost - 2.0)).sum())
    torch.autograd.backward(objective.multiplier * loss.mean())
    for name, parameter in scheme.named_parameters():
        assert torch.allclose(computed[name], gradient(parameter), atol=1e-6), name


def test_tokens_are_kept_as_often_as_their_keep_probability() -> None:
    logits = torch.tensor([[2.0, -1.0, 0.0, 5.0]])
    draw = sample_masks(
        logits, torch.tensor([3]), samples=20_000, generator=torch.Generator().manual_seed(1)
    )
    kept = draw.keep.float().mean(dim=0)
    assert torch.allclose(kept[:3], logits.sigmoid()[0, :3], atol=0.01)
    assert kept[3] == 0  # past the end


def test_log_q_is_the_masks_log_probability() -> None:
    logits = torch.tensor([[1.0, -2.0, 9.0]])
    draw = sample_masks(
        logits, torch.tensor([2]), samples=50, generator=torch.Generator().manual_seed(1)
    )
    for keep, log_q in zip(draw.keep, draw.log_q, strict=True):
        probabilities = torch.where(keep, logits[0].sigmoid(), 1 - logits[0].sigmoid())[:2]
        assert torch.allclose(log_q, probabilities.log().sum(), atol=1e-6)


def test_a_floor_restricts_keep_probabilities() -> None:
    logits = torch.tensor([-50.0, 0.0, 50.0])
    floored = floor_logits(logits, 0.02).sigmoid()
    assert torch.allclose(floored, torch.tensor([0.02, 0.5, 0.98]), atol=1e-6)
    assert floor_logits(logits, 0.0) is logits


def test_entropy_is_largest_at_keep_probability_one_half() -> None:
    generator = torch.Generator().manual_seed(1)
    undecided = sample_masks(torch.zeros(1, 3), torch.tensor([2]), samples=1, generator=generator)
    decided = sample_masks(
        torch.full((1, 3), 20.0), torch.tensor([2]), samples=1, generator=generator
    )
    assert float(undecided.entropy) == pytest.approx(2 * 0.6931, abs=1e-3)
    assert float(decided.entropy) == pytest.approx(0, abs=1e-6)


def test_the_moving_average_weighs_past_batches_exponentially() -> None:
    baseline = MovingAverage(0.9)
    assert baseline.predict(torch.tensor([4.0, 6.0]), 1).tolist() == [5.0, 5.0]
    assert baseline.predict(torch.tensor([15.0, 15.0]), 1).tolist() == [5.0, 5.0]
    assert baseline.predict(torch.tensor([0.0, 0.0]), 1).tolist() == [6.0, 6.0]
    copy = MovingAverage(0.9)
    copy.load_state_dict(baseline.state_dict())
    assert copy.state_dict() == baseline.state_dict() == {"value": pytest.approx(5.4)}


def test_leave_one_out_never_uses_a_samples_own_reward() -> None:
    penalised_costs = torch.tensor(
        [1.0, 10.0, 2.0, 20.0, 6.0, 60.0]
    )  # three samples of two sentences
    assert LeaveOneOut().predict(penalised_costs, 3).tolist() == [4.0, 40.0, 3.5, 35.0, 1.5, 15.0]
