import itertools

import pytest
import torch
from torch.nn.functional import logsigmoid

from tersely.game.batches import Batch
from tersely.game.paper.estimator import (
    LeaveOneOut,
    MovingAverage,
    draw_masks,
    keep_log_odds,
    policy_loss,
)
from tersely.game.paper.objective import Constrained, Linear
from tests.game.small import small_scheme

SENTENCE = Batch(torch.tensor([[5, 9, 14, 9, 33, 20]]), torch.tensor([6]))
OBJECTIVES = {
    "linear": Linear(4.0),
    "constrained": Constrained(epsilon=0.7, start=3.0, learning_rate=0.01, ascent="adam"),
}


def exact_gradient(scheme, objective) -> torch.Tensor:
    """∇ of Σ over all 64 masks of q(z|x) G(x, z), in the keep logits."""
    logits = scheme.encoder(SENTENCE.tokens, SENTENCE.lengths).detach().requires_grad_()
    masks = torch.tensor(list(itertools.product([False, True], repeat=6)))
    sixty_four = SENTENCE.repeated(64)
    with torch.no_grad():
        loss = scheme.loss_per_token(sixty_four, masks)
    rewards = objective.reward(masks.sum(dim=1).float(), loss)
    log_q = torch.where(masks, logsigmoid(logits), logsigmoid(-logits)).sum(dim=1)
    (log_q.exp() * rewards).sum().backward()
    return logits.grad[0]


def sampled_gradients(scheme, objective, *, samples: int, draws: int) -> torch.Tensor:
    """Many independent estimates of the same gradient: (draws, 6)."""
    logits = scheme.encoder(SENTENCE.tokens, SENTENCE.lengths).detach()
    generator = torch.Generator().manual_seed(3)
    baseline = LeaveOneOut() if samples > 1 else MovingAverage(0.9)
    if samples == 1:
        baseline.restore({"value": 2.0})
    gradients = []
    for _ in range(draws):
        leaf = logits.clone().requires_grad_()
        draw = draw_masks(leaf, SENTENCE.lengths, samples=samples, generator=generator)
        with torch.no_grad():
            loss = scheme.loss_per_token(SENTENCE.repeated(samples), draw.keep)
        rewards = objective.reward(draw.keep.sum(dim=1).float(), loss)
        policy_loss(draw.log_q, rewards, baseline.before(rewards, samples)).backward()
        gradients.append(leaf.grad[0])
    return torch.stack(gradients)


@pytest.mark.promise(6)
@pytest.mark.parametrize("samples", [1, 2, 4])
@pytest.mark.parametrize("name", OBJECTIVES)
def test_the_estimate_is_right_on_average(name: str, samples: int) -> None:
    torch.manual_seed(0)
    scheme, objective = small_scheme(), OBJECTIVES[name]
    exact = exact_gradient(scheme, objective)
    drawn = sampled_gradients(scheme, objective, samples=samples, draws=3000)
    standard_error = drawn.std(dim=0) / len(drawn) ** 0.5
    assert ((drawn.mean(dim=0) - exact).abs() < 3 * standard_error).all()
    assert exact.abs().max() > 10 * standard_error.max()  # the test can tell right from wrong


@pytest.mark.promise(6)
def test_the_gradient_of_a_round_is_the_estimators() -> None:
    """The scalar of a whole round moves encoder and decoder as the paper's equations say."""
    from tersely.game.paper.round import LearnedRound

    scheme, objective = small_scheme(), OBJECTIVES["constrained"]
    baseline = MovingAverage(0.9)
    baseline.restore({"value": 2.0})
    game = LearnedRound(objective, baseline, 1, 0.0, 0.0, 0.0, scale_decoder_by_weight=True)
    scalar, _ = game.play(scheme, SENTENCE, torch.Generator().manual_seed(5))
    scalar.backward()
    got = {name: parameter.grad.clone() for name, parameter in scheme.named_parameters()}
    scheme.zero_grad()
    logits = scheme.encoder(SENTENCE.tokens, SENTENCE.lengths)
    draw = draw_masks(
        logits, SENTENCE.lengths, samples=1, generator=torch.Generator().manual_seed(5)
    )
    loss = scheme.loss_per_token(SENTENCE, draw.keep)
    reward = draw.keep.sum() + objective.weight * (loss.detach() - objective.epsilon)
    (draw.log_q * (reward - 2.0)).sum().backward()
    (objective.weight * loss.mean()).backward()
    for name, parameter in scheme.named_parameters():
        assert torch.allclose(got[name], parameter.grad, atol=1e-6), name


def test_masks_are_kept_as_often_as_the_encoder_says() -> None:
    logits = torch.tensor([[2.0, -1.0, 0.0, 5.0]])
    draw = draw_masks(
        logits, torch.tensor([3]), samples=20_000, generator=torch.Generator().manual_seed(1)
    )
    kept = draw.keep.float().mean(dim=0)
    assert torch.allclose(kept[:3], logits.sigmoid()[0, :3], atol=0.01)
    assert kept[3] == 0  # past the end


def test_log_q_is_the_masks_log_probability() -> None:
    logits = torch.tensor([[1.0, -2.0, 9.0]])
    draw = draw_masks(
        logits, torch.tensor([2]), samples=50, generator=torch.Generator().manual_seed(1)
    )
    for keep, log_q in zip(draw.keep, draw.log_q, strict=True):
        chances = torch.where(keep, logits[0].sigmoid(), 1 - logits[0].sigmoid())[:2]
        assert torch.allclose(log_q, chances.log().sum(), atol=1e-6)


def test_a_floor_holds_probabilities_off_the_ends() -> None:
    logits = torch.tensor([-50.0, 0.0, 50.0])
    held = keep_log_odds(logits, 0.02).sigmoid()
    assert torch.allclose(held, torch.tensor([0.02, 0.5, 0.98]), atol=1e-6)
    assert keep_log_odds(logits, 0.0) is logits


def test_entropy_is_greatest_when_undecided() -> None:
    generator = torch.Generator().manual_seed(1)
    undecided = draw_masks(torch.zeros(1, 3), torch.tensor([2]), samples=1, generator=generator)
    decided = draw_masks(
        torch.full((1, 3), 20.0), torch.tensor([2]), samples=1, generator=generator
    )
    assert float(undecided.entropy) == pytest.approx(2 * 0.6931, abs=1e-3)
    assert float(decided.entropy) == pytest.approx(0, abs=1e-6)


def test_the_moving_average_fades() -> None:
    baseline = MovingAverage(0.9)
    assert baseline.before(torch.tensor([4.0, 6.0]), 1).tolist() == [5.0, 5.0]
    assert baseline.before(torch.tensor([15.0, 15.0]), 1).tolist() == [5.0, 5.0]
    assert baseline.before(torch.tensor([0.0, 0.0]), 1).tolist() == [6.0, 6.0]
    copy = MovingAverage(0.9)
    copy.restore(baseline.state())
    assert copy.state() == baseline.state() == {"value": pytest.approx(5.4)}


def test_leave_one_out_never_uses_a_samples_own_reward() -> None:
    rewards = torch.tensor([1.0, 10.0, 2.0, 20.0, 6.0, 60.0])  # three samples of two sentences
    assert LeaveOneOut().before(rewards, 3).tolist() == [4.0, 40.0, 3.5, 35.0, 1.5, 15.0]
