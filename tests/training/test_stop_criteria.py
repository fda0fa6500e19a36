import os
import signal
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tersely.training.config import TrainingConfig
from tersely.training.stop_criteria import EarlyStopping, StopRequest

FLAT = EarlyStopping(window_steps=1000, loss_nats=0.01, kept_share=0.005)


def history(
    *,
    end: int,
    loss: Callable[[int], float],
    kept: Callable[[int], float] = lambda step: 0.3,
    every: int = 100,
) -> list[dict[str, Any]]:
    return [
        {"step": step, "loss_nats_a_token": loss(step), "kept_fraction": kept(step)}
        for step in range(every, end + 1, every)
    ]


def test_a_constant_history_is_flat_after_the_window() -> None:
    assert not FLAT.is_flat([])
    assert not FLAT.is_flat(history(end=1000, loss=lambda step: 1.0))
    assert FLAT.is_flat(history(end=1100, loss=lambda step: 1.0))


def test_a_falling_loss_is_not_flat_until_it_stops_falling() -> None:
    def falling(step: int) -> float:
        return max(0.5, 2.0 - step / 2000)

    flat = [end for end in range(100, 6001, 100) if FLAT.is_flat(history(end=end, loss=falling))]
    assert flat[0] > 3000  # the step at which it stops falling
    assert flat[0] <= 4000  # at most a window later
    assert flat == list(range(flat[0], 6001, 100))


def test_noise_around_one_value_is_flat() -> None:
    rng = np.random.default_rng(1)
    noise = rng.normal(scale=0.005, size=10_000)
    assert FLAT.is_flat(history(end=5000, loss=lambda step: 1.0 + noise[step]))


def test_loss_and_kept_fraction_must_both_be_flat() -> None:
    moving = history(end=3000, loss=lambda step: 1.0, kept=lambda step: step / 30_000)
    assert not FLAT.is_flat(moving)


def test_a_loss_that_jumps_is_not_flat() -> None:
    swinging = history(end=3000, loss=lambda step: 1.0 if step > 2500 else 2.0)
    assert not FLAT.is_flat(swinging)


@pytest.mark.parametrize(("change", "is_flat"), [(0.004, True), (0.006, False)])
def test_halves_differ_by_half_of_what_the_window_may_change(change: float, is_flat: bool) -> None:
    rows = history(end=3000, loss=lambda step: 1.0 if step > 2500 else 1.0 + change)
    assert FLAT.is_flat(rows) == is_flat


def test_too_few_evaluations_are_never_flat() -> None:
    assert not FLAT.is_flat(history(end=2000, every=1000, loss=lambda step: 1.0)[-1:])
    assert not FLAT.is_flat(history(end=9000, every=3000, loss=lambda step: 1.0))


def test_a_plateau_on_which_lambda_changes_is_not_flat() -> None:
    rows = history(end=3000, loss=lambda step: 0.05)
    constant = [{**row, "weight_tokens_per_nat": 3.0} for row in rows]
    falling = [{**row, "weight_tokens_per_nat": 6.0 - row["step"] / 1000} for row in rows]
    at_zero = [{**row, "weight_tokens_per_nat": 0.0} for row in rows]
    assert [FLAT.is_flat(rows) for rows in (constant, falling, at_zero)] == [True, False, True]


def test_the_tolerances_come_from_the_config() -> None:
    config = TrainingConfig(flat_steps=300, flat_loss_nats=0.1, flat_kept_share=0.2)
    assert EarlyStopping.from_config(config) == EarlyStopping(300, 0.1, 0.2)


def test_a_history_whose_older_rows_lack_lambda_is_not_flat() -> None:
    flat = EarlyStopping(window_steps=100, loss_nats=0.01, kept_share=0.005)
    rows = [
        {"step": step, "loss_nats_a_token": 0.5, "kept_fraction": 0.6} for step in range(0, 220, 20)
    ]
    assert flat.is_flat(rows)
    with_lambda = [*rows[:-1], {**rows[-1], "weight_tokens_per_nat": 3.7}]
    assert not flat.is_flat(with_lambda)
    assert flat.is_flat([{**row, "weight_tokens_per_nat": 3.7} for row in rows])


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_requests_a_stop_and_does_not_end_the_process(kind: signal.Signals) -> None:
    with StopRequest(minutes=None) as stop:
        assert not stop.is_requested
        os.kill(os.getpid(), kind)
        assert stop.is_requested


def test_signal_handlers_are_restored() -> None:
    before = {kind: signal.getsignal(kind) for kind in (signal.SIGINT, signal.SIGTERM)}
    with pytest.raises(RuntimeError), StopRequest(minutes=None):
        assert signal.getsignal(signal.SIGINT) is not before[signal.SIGINT]
        raise RuntimeError
    assert {kind: signal.getsignal(kind) for kind in before} == before


def test_a_stop_is_requested_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = {"now": 1000.0}
    monkeypatch.setattr("tersely.training.stop_criteria.time.monotonic", lambda: clock["now"])
    limited, unlimited = StopRequest(minutes=2), StopRequest(minutes=None)
    for now, is_late in ((1000.0, False), (1119.9, False), (1120.0, True), (9e9, True)):
        clock["now"] = now
        assert limited.is_requested == is_late
        assert not unlimited.is_requested
