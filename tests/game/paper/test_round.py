import torch

from tersely.game.paper.estimator import LeaveOneOut
from tersely.game.paper.objective import Constrained
from tersely.game.paper.round import LearnedRound, RuleRound
from tersely.game.paper.rules import UnifRule
from tests.game.small import random_batch, small_scheme


def test_a_round_records_what_happened() -> None:
    scheme, batch = small_scheme(), random_batch(40)
    scalar, played = RuleRound(UnifRule(0.5)).play(scheme, batch, torch.Generator().manual_seed(1))
    assert float(scalar.detach()) == played.loss_nats_a_token
    assert played.tokens == int(batch.lengths.sum()) + 40
    assert played.cost_tokens * 40 == played.kept_fraction * int(batch.lengths.sum())
    assert 0.3 < played.kept_fraction < 0.7


def test_a_rule_round_leaves_the_encoder_alone() -> None:
    scheme = small_scheme()
    scalar, _ = RuleRound(UnifRule(0.5)).play(
        scheme, random_batch(10), torch.Generator().manual_seed(1)
    )
    scalar.backward()
    assert all(parameter.grad is None for parameter in scheme.encoder.parameters())


def test_lambda_answers_to_a_learned_round() -> None:
    objective = Constrained(epsilon=0.1, start=2.0, learning_rate=0.1, ascent="sgd")
    game = LearnedRound(objective, LeaveOneOut(), 2, 0.02, 0.0, 0.0, scale_decoder_by_weight=False)
    _, played = game.play(small_scheme(), random_batch(10), torch.Generator().manual_seed(1))
    game.finish(played)
    assert objective.weight > 2.0


def test_an_entropy_bonus_pulls_towards_indecision() -> None:
    def bias_gradient(bonus: float) -> float:
        scheme = small_scheme(width=0.1)
        scheme.encoder.start_keeping(0.99)
        objective = Constrained(epsilon=0.1, start=0.0, learning_rate=0.0, ascent="sgd")
        game = LearnedRound(
            objective, LeaveOneOut(), 2, 0.0, bonus, 0.0, scale_decoder_by_weight=True
        )
        scalar, _ = game.play(scheme, random_batch(40), torch.Generator().manual_seed(1))
        scalar.backward()
        return float(scheme.encoder.keep.bias.grad)

    assert bias_gradient(5.0) > bias_gradient(0.0)
