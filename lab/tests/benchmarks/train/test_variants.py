import time

import pytest

from tersely.game.paper.step import PolicyGradientStep
from tersely.training.batches import Batches
from tersely.training.config import RunConfig
from tersely_lab.benchmarks.train.variants import PARTS, VARIANTS, Variant, profile
from tersely_lab.benchmarks.train.zipf import generate

VOCABULARY = 1_200


def small_variant(name: str) -> Variant:
    """One of the trainings at a size for tests, on 40 sentences in batches of 4."""
    batches = Batches(generate(40, vocabulary=VOCABULARY), batch_size=4, seed=1)
    return Variant.build(
        VARIANTS[name].run_config(units=8, batch=4), batches, vocabulary=VOCABULARY
    )


@pytest.mark.parametrize("name", VARIANTS)
def test_training_counts_target_tokens_with_end_marks(name: str) -> None:
    variant = small_variant(name)
    expected = sum(int((variant.batches.at(step).lengths + 1).sum()) for step in (1, 2))
    assert variant.train(range(1, 3)) == expected
    assert variant.train(range(1)) == int((variant.batches.at(0).lengths + 1).sum())


@pytest.mark.parametrize("name", VARIANTS)
def test_only_the_trained_parts_are_updated(name: str) -> None:
    variant = small_variant(name)
    before = {key: value.clone() for key, value in variant.scheme.state_dict().items()}
    variant.train(range(1))
    moved = {
        key.split(".")[0]
        for key, value in variant.scheme.state_dict().items()
        if not value.equal(before[key])
    }
    is_whole = isinstance(variant.step, PolicyGradientStep)
    assert is_whole == VARIANTS[name].whole_game
    assert moved == ({"encoder", "decoder"} if is_whole else {"decoder"})
    assert variant.scheme.shape.softmax == VARIANTS[name].softmax


def test_the_whole_game_with_full_softmax_has_the_papers_config() -> None:
    config = VARIANTS["whole game, full softmax"].run_config(units=300, batch=128)
    assert config == RunConfig()


def test_every_part_of_the_whole_game_takes_time() -> None:
    variant = small_variant("whole game, adaptive softmax")
    start = time.perf_counter()
    parts = profile(variant, first=0, steps=2, clock=time.perf_counter)
    elapsed = time.perf_counter() - start
    assert tuple(parts) == PARTS
    assert all(seconds > 0 for seconds in parts.values()), parts
    assert sum(parts.values()) * 2 <= elapsed
    assert len(variant.metrics) == 2


def test_the_decoder_alone_spends_no_time_in_the_encoder() -> None:
    variant = small_variant("decoder, full softmax")
    parts = profile(variant, first=0, steps=1, clock=time.perf_counter)
    assert parts["encoder"] == 0
    assert parts["softmax"] > 0


def test_hooks_are_removed_afterwards() -> None:
    variant = small_variant("decoder, full softmax")
    profile(variant, first=0, steps=1, clock=time.perf_counter)
    for module in variant.scheme.modules():
        assert not module._forward_hooks
        assert not module._forward_pre_hooks
        assert not module._backward_hooks


def test_hooks_are_removed_after_an_error() -> None:
    def broken_clock() -> float:
        raise RuntimeError("stopped")

    variant = small_variant("decoder, full softmax")
    with pytest.raises(RuntimeError, match="stopped"):
        profile(variant, first=0, steps=1, clock=broken_clock)
    assert not variant.scheme.decoder._forward_hooks
