from typing import Any

import pytest
import torch

from tersely.corpus.dataset import Split
from tersely.game.paper.estimator import MovingAverage
from tersely.game.paper.objective import Constrained
from tersely.game.paper.round import LearnedRound, RuleRound
from tersely.game.paper.rules import RandomRateRule, UnifRule
from tersely.training.dev_evaluation import judge, keep_quantiles
from tersely.training.paper_step import PaperMatch
from tests.game.small import random_batch, small_scheme
from tests.game.small_monotone import split_of

LEARNED = {"kind": "learned", "keep": "threshold"}


@pytest.fixture(scope="module")
def dev() -> Split:
    return split_of(random_batch(100))


def learned(first: int = 0, **encoder: Any) -> PaperMatch:
    objective = Constrained(epsilon=0.1, start=2.0, learning_rate=0.1, ascent="sgd")
    game = LearnedRound(objective, MovingAverage(0.9), 1, 0.0, 0.0, 0.0, True)
    return PaperMatch(small_scheme(), game, {**LEARNED, **encoder}, first)


def by_rule() -> PaperMatch:
    return PaperMatch(small_scheme(), RuleRound(UnifRule(0.3)), {"kind": "unif", "delta": 0.3}, 0)


def play(match: PaperMatch, step: int) -> tuple[float, Any]:
    scalar, played = match.play(step, random_batch(20), torch.Generator().manual_seed(1))
    match.finish(step, played)
    return scalar.item(), played


def test_the_decoder_learns_first_and_lambda_waits() -> None:
    match = learned(first=3)
    expected, record = RuleRound(RandomRateRule()).play(
        match.scheme, random_batch(20), torch.Generator().manual_seed(1)
    )
    for step in range(3):
        assert play(match, step) == (expected.item(), record)
    assert match.figures() == {"weight_tokens_per_nat": 2.0}
    assert play(match, 3)[1] != record
    assert match.figures()["weight_tokens_per_nat"] > 2.0


def test_a_rule_has_no_lambda_and_nothing_to_keep() -> None:
    match = by_rule()
    play(match, 0)
    assert match.figures() == match.state() == {}
    match.restore({})


def test_a_restored_match_goes_on_as_the_first_would_have() -> None:
    first, second = learned(), learned()
    play(first, 0)
    second.restore(first.state())
    assert second.figures() == first.figures() != learned().figures()
    assert play(second, 1) == play(first, 1)
    assert second.state() == first.state()


def test_judgements_are_those_of_its_game(dev: Split) -> None:
    for match in (learned(), by_rule()):
        assert match.judge(dev, 50) == judge(match.scheme, match.game, dev, sentences=50)


def test_a_scheme_that_draws_is_judged_by_drawing(dev: Split) -> None:
    drawing = learned(keep="sample")
    drawn = judge(drawing.scheme, drawing.game, dev, sentences=50, sample=True)
    assert drawing.judge(dev, 50) == drawn != learned().judge(dev, 50)


def test_a_learned_encoder_is_written_with_its_quantiles(dev: Split) -> None:
    match = learned()
    assert match.encoder_settings(dev, 50) == {
        "encoder": LEARNED,
        "keep_quantiles": keep_quantiles(match.scheme, dev, sentences=50),
    }
    assert match.architecture == "paper"


def test_a_rule_is_written_without(dev: Split) -> None:
    assert by_rule().encoder_settings(dev, 50) == {
        "encoder": {"kind": "unif", "delta": 0.3},
        "keep_quantiles": [],
    }
