import pytest
import torch

from tersely.game.batches import Batch
from tersely.game.paper.estimator import LeaveOneOut, MovingAverage
from tersely.game.paper.objective import Constrained, Linear
from tersely.game.paper.round import LearnedRound, RuleRound
from tersely.game.paper.rules import StopwordRule, UnifRule
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary
from tersely.training.build import (
    build_distilled_round,
    build_optimizer,
    build_round,
    build_scheme,
    shape_of,
    sides,
    stopword_encoder,
)
from tersely.training.config import load_config
from tests.training.small import small_config
from tests.training.test_config import CONFIGS

LEXICON = Vocabulary([*SPECIAL_TOKENS, "the", "waiter", "."])


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(1)


def learned(**changes: dict) -> LearnedRound:
    made = build_round(small_config(**changes), LEXICON)
    assert isinstance(made, LearnedRound)
    return made


def test_the_papers_scheme_has_the_papers_sizes() -> None:
    shape = shape_of(load_config(CONFIGS / "paper.toml").model, 10_000)
    assert shape.embedding_units == shape.encoder_units == shape.decoder_units == 300
    assert shape.reader_units == 300
    assert (shape.softmax, shape.adaptive_cutoffs) == ("full", ())
    shape.check()


def test_reader_units_are_counted_as_the_config_says() -> None:
    each = {"reader_units_count": "each_direction", "decoder_start": "zeros"}
    assert shape_of(small_config(model=each).model, 50).reader_units == 24
    assert shape_of(small_config().model, 50).reader_units == 12


def test_clusters_past_the_vocabulary_are_left_out() -> None:
    model = small_config(model={"softmax": "adaptive", "adaptive_cutoffs": [50, 120]}).model
    for size, cutoffs in ((500, (50, 120)), (120, (50,)), (50, ())):
        shape = shape_of(model, size)
        assert shape.adaptive_cutoffs == cutoffs
        assert shape.softmax == ("adaptive" if cutoffs else "full")
        shape.check()


def test_a_scheme_starts_within_the_range_and_keeps_the_share_asked_for() -> None:
    config = small_config(model={"initial_range": 0.03, "initial_keep_probability": 0.8})
    scheme = build_scheme(config, 50, generator())
    logits = scheme.encoder(torch.tensor([[5, 6, 7]]), torch.tensor([3]))
    assert torch.allclose(logits.sigmoid(), torch.tensor(0.8), atol=0.01)
    for name, tensor in scheme.state_dict().items():
        assert name == "encoder.keep.bias" or tensor.abs().max() <= 0.03


def test_the_same_seed_builds_the_same_scheme() -> None:
    one, other = (build_scheme(small_config(), 50, generator()).state_dict() for _ in range(2))
    assert all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize(
    ("name", "kept"),
    [("stopwords", [True, False, True, True]), ("content", [False, False, True, False])],
)
def test_a_distilled_round_masks_by_the_rules_it_is_given(name: str, kept: list[bool]) -> None:
    config = small_config(distillation={"rules": [name]})
    (rule,) = build_distilled_round(config, LEXICON).rules
    ids = [LEXICON.id_of(token) for token in ("<shift>", "the", "waiter", ".")]
    batch = Batch(torch.tensor([ids]), torch.tensor([4]))
    assert rule(batch, generator()).tolist() == [kept]


def test_a_rule_named_twice_is_drawn_twice_as_often_and_coins_are_fair() -> None:
    config = small_config(distillation={"rules": ["coin", "coin", "content"]})
    coin, again, content = build_distilled_round(config, LEXICON).rules
    assert coin is again is not content
    batch = Batch(torch.full((200, 50), LEXICON.id_of("the")), torch.full((200,), 50))
    assert coin(batch, generator()).float().mean() == pytest.approx(0.5, abs=0.02)
    spread = coin(batch, generator()).float().mean(dim=1).std()
    assert spread < 0.1  # one rate for all sentences, unlike "chance"


def test_each_kind_of_objective_has_its_round() -> None:
    unif = build_round(small_config(objective={"kind": "unif", "delta": 0.3}), LEXICON)
    assert isinstance(unif, RuleRound)
    assert isinstance(unif.rule, UnifRule)
    stopword = build_round(small_config(objective={"kind": "stopword"}), LEXICON)
    assert isinstance(stopword, RuleRound)
    assert isinstance(stopword.rule, StopwordRule)
    linear = learned(objective={"kind": "linear", "weight_tokens_per_nat": 4.3})
    assert isinstance(linear.objective, Linear)
    assert linear.objective.weight == 4.3
    constrained = learned(objective={"epsilon_nats_per_token": 0.2})
    assert isinstance(constrained.objective, Constrained)
    assert (constrained.objective.epsilon, constrained.objective.weight) == (0.2, 5.0)


@pytest.mark.parametrize(("ascent", "after"), [("adam", 5.01), ("sgd", 5.02)])
def test_lambda_climbs_as_the_config_says(ascent: str, after: float) -> None:
    objective = learned(objective={"weight_ascent": ascent, "weight_learning_rate": 0.01}).objective
    objective.update(2.5)  # ε is 0.5: the gradient is 2
    assert objective.weight == pytest.approx(after, abs=1e-6)


def test_the_estimator_is_the_one_asked_for() -> None:
    assert isinstance(learned().baseline, MovingAverage)
    made = learned(
        estimator={
            "samples": 3,
            "baseline": "leave_one_out",
            "exploration_floor": 0.01,
            "entropy_bonus_tokens_per_nat": 0.2,
        },
        objective={"decoder_gradient": "unscaled"},
    )
    assert isinstance(made.baseline, LeaveOneOut)
    assert (made.samples, made.exploration_floor, made.entropy_bonus) == (3, 0.01, 0.2)
    assert not made.scale_decoder_by_weight


def test_stopwords_are_dropped_as_the_config_says() -> None:
    config = small_config(
        objective={"kind": "stopword", "delta": 0.5, "stopword_drops_shift": True}
    )
    encoder = stopword_encoder(config.objective)
    assert (encoder.delta, encoder.drop_shift, encoder.drop_punctuation) == (0.5, True, False)


def test_both_sides_have_their_rate_and_all_parameters_one_place() -> None:
    config = small_config(training={"learning_rate": 0.01, "encoder_learning_rate": 0.002})
    scheme = build_scheme(config, 50, generator())
    optimizer = build_optimizer(config, scheme)
    assert [group["lr"] for group in optimizer.param_groups] == [0.002, 0.01]
    assert [group["params"] for group in optimizer.param_groups] == list(sides(scheme))
    held = [id(one) for group in optimizer.param_groups for one in group["params"]]
    assert sorted(held) == sorted(id(one) for one in scheme.parameters())
    same = build_optimizer(small_config(), scheme)
    assert [group["lr"] for group in same.param_groups] == [0.001, 0.001]
