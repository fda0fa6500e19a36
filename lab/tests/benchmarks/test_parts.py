import time

import pytest

from lab.tests.benchmarks.test_variant import small_variant
from tersely_lab.benchmarks.parts import PARTS, seconds_by_part


def test_every_part_of_the_whole_game_takes_time() -> None:
    variant = small_variant("whole game, adaptive softmax")
    start = time.perf_counter()
    parts = seconds_by_part(variant, first=0, steps=2, clock=time.perf_counter)
    elapsed = time.perf_counter() - start
    assert tuple(parts) == PARTS
    assert all(seconds > 0 for seconds in parts.values()), parts
    assert sum(parts.values()) * 2 <= elapsed
    assert len(variant.records) == 2


def test_the_decoder_alone_spends_nothing_on_the_encoder() -> None:
    variant = small_variant("decoder, full softmax")
    parts = seconds_by_part(variant, first=0, steps=1, clock=time.perf_counter)
    assert parts["encoder"] == 0
    assert parts["softmax"] > 0


def test_nothing_is_watched_afterwards() -> None:
    variant = small_variant("decoder, full softmax")
    seconds_by_part(variant, first=0, steps=1, clock=time.perf_counter)
    for module in variant.scheme.modules():
        assert not module._forward_hooks
        assert not module._forward_pre_hooks
        assert not module._backward_hooks


def test_an_error_takes_the_watches_away_too() -> None:
    def broken_clock() -> float:
        raise RuntimeError("stopped")

    variant = small_variant("decoder, full softmax")
    with pytest.raises(RuntimeError, match="stopped"):
        seconds_by_part(variant, first=0, steps=1, clock=broken_clock)
    assert not variant.scheme.decoder._forward_hooks
