from pathlib import Path

import numpy as np
import pytest
import torch

from tersely.corpus.dataset import PreparedCorpus, Split
from tersely.game.batches import in_order
from tersely.game.paper.round import LearnedRound, RuleRound
from tersely.game.paper.rules import UnifRule
from tersely.game.paper.scheme import Scheme
from tersely.training.build import build_round, build_scheme
from tersely.training.config import TrainingConfig
from tersely.training.dev_evaluation import Flatness, judge, keep_quantiles
from tests.training.small import small_config


@pytest.fixture(scope="module")
def dev(corpus: Path) -> Split:
    return PreparedCorpus.open(corpus).split("dev")


@pytest.fixture(scope="module")
def scheme() -> Scheme:
    config = small_config(model={"initial_range": 0.8})
    return build_scheme(config, 200, torch.Generator().manual_seed(1))


@pytest.fixture(scope="module")
def game(corpus: Path) -> LearnedRound:
    made = build_round(small_config(), PreparedCorpus.open(corpus).lexicon())
    assert isinstance(made, LearnedRound)
    return made


@torch.no_grad()
def test_figures_are_those_of_each_sentence_alone(
    scheme: Scheme, game: LearnedRound, dev: Split
) -> None:
    kept = tokens = 0
    loss = 0.0
    for batch in in_order(dev, batch_size=1, limit=15):
        keep = scheme.encoder(batch.tokens, batch.lengths).sigmoid() > 0.5
        kept, tokens = kept + int(keep.sum()), tokens + int(batch.lengths[0])
        loss += float(scheme.total_loss(batch, keep))
    figures = judge(scheme, game, dev, sentences=15)
    assert figures == pytest.approx(
        {
            "kept_fraction": kept / tokens,
            "cost_tokens": kept / 15,
            "loss_nats_a_token": loss / (tokens + 15),
        },
        rel=1e-4,
    )
    assert 0 < kept < tokens


def test_every_judgement_draws_the_same_masks(scheme: Scheme, dev: Split) -> None:
    rule = RuleRound(UnifRule(0.4))
    first = judge(scheme, rule, dev, sentences=25)
    torch.manual_seed(99)
    assert judge(scheme, rule, dev, sentences=25) == first
    assert first["kept_fraction"] == pytest.approx(0.4, abs=0.12)


@torch.no_grad()
def test_quantiles_are_those_of_the_keep_probabilities(scheme: Scheme, dev: Split) -> None:
    found = keep_quantiles(scheme, dev, sentences=20)
    chances = np.concatenate(
        [
            scheme.encoder(batch.tokens, batch.lengths).sigmoid()[0].numpy()
            for batch in in_order(dev, batch_size=1, limit=20)
        ]
    )
    assert len(found) == 101
    assert found == sorted(found)
    assert (found[0], found[-1]) == pytest.approx((chances.min(), chances.max()), abs=1e-6)
    assert (chances <= found[25]).mean() == pytest.approx(0.25, abs=0.02)


FLAT = Flatness(window_steps=1000, loss_nats=0.01, kept_share=0.005)


def history(*, end: int, loss, kept=lambda step: 0.3, every: int = 100) -> list[dict]:
    return [
        {"step": step, "loss_nats_a_token": loss(step), "kept_fraction": kept(step)}
        for step in range(every, end + 1, every)
    ]


def test_a_history_that_stands_still_is_flat_after_the_window() -> None:
    assert not FLAT.reached([])
    assert not FLAT.reached(history(end=1000, loss=lambda step: 1.0))
    assert FLAT.reached(history(end=1100, loss=lambda step: 1.0))


def test_a_falling_loss_is_not_flat_until_it_stops_falling() -> None:
    def falling(step: int) -> float:
        return max(0.5, 2.0 - step / 2000)

    flat = [end for end in range(100, 6001, 100) if FLAT.reached(history(end=end, loss=falling))]
    assert flat[0] > 3000  # where it stops falling
    assert flat[0] <= 4000  # and no later than a window after it
    assert flat == list(range(flat[0], 6001, 100))


def test_noise_around_one_value_is_flat() -> None:
    rng = np.random.default_rng(1)
    noise = rng.normal(scale=0.005, size=10_000)
    assert FLAT.reached(history(end=5000, loss=lambda step: 1.0 + noise[step]))


def test_both_figures_must_be_flat() -> None:
    moving = history(end=3000, loss=lambda step: 1.0, kept=lambda step: step / 30_000)
    assert not FLAT.reached(moving)


def test_a_loss_that_rises_and_falls_is_not_taken_for_flat() -> None:
    swinging = history(end=3000, loss=lambda step: 1.0 if step > 2500 else 2.0)
    assert not FLAT.reached(swinging)


@pytest.mark.parametrize(("change", "is_flat"), [(0.004, True), (0.006, False)])
def test_halves_differ_by_half_of_what_the_window_may_change(change: float, is_flat: bool) -> None:
    rows = history(end=3000, loss=lambda step: 1.0 if step > 2500 else 1.0 + change)
    assert FLAT.reached(rows) == is_flat


def test_too_few_judgements_are_never_flat() -> None:
    assert not FLAT.reached(history(end=2000, every=1000, loss=lambda step: 1.0)[-1:])
    assert not FLAT.reached(history(end=9000, every=3000, loss=lambda step: 1.0))


def test_a_plateau_on_which_lambda_still_moves_is_not_flat() -> None:
    rows = history(end=3000, loss=lambda step: 0.05)
    still = [{**row, "weight_tokens_per_nat": 3.0} for row in rows]
    falling = [{**row, "weight_tokens_per_nat": 6.0 - row["step"] / 1000} for row in rows]
    at_zero = [{**row, "weight_tokens_per_nat": 0.0} for row in rows]
    assert [FLAT.reached(each) for each in (still, falling, at_zero)] == [True, False, True]


def test_the_config_says_what_flat_is() -> None:
    config = TrainingConfig(flat_steps=300, flat_loss_nats=0.1, flat_kept_share=0.2)
    assert Flatness.of(config) == Flatness(300, 0.1, 0.2)


def test_a_scheme_that_draws_is_judged_by_what_it_draws(scheme: Scheme, game, dev) -> None:
    with torch.no_grad():
        scheme.encoder.keep.weight.zero_()
    scheme.encoder.start_keeping(0.3)
    drawn = judge(scheme, game, dev, sentences=40, sample=True)["kept_fraction"]
    assert 0.2 < drawn < 0.4
    assert judge(scheme, game, dev, sentences=40)["kept_fraction"] == 0


def test_a_run_whose_older_judgements_do_not_tell_λ_is_not_called_flat() -> None:
    flat = Flatness(window_steps=100, loss_nats=0.01, kept_share=0.005)
    rows = [
        {"step": step, "loss_nats_a_token": 0.5, "kept_fraction": 0.6} for step in range(0, 220, 20)
    ]
    assert flat.reached(rows)
    told = [*rows[:-1], {**rows[-1], "weight_tokens_per_nat": 3.7}]
    assert not flat.reached(told)
    assert flat.reached([{**row, "weight_tokens_per_nat": 3.7} for row in rows])
