import os
import signal

import pytest

from tersely.training.signals import StopRequest


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_a_wish_to_stop_not_an_end(kind: signal.Signals) -> None:
    with StopRequest(minutes=None) as stop:
        assert not stop.made
        os.kill(os.getpid(), kind)
        assert stop.made


def test_signals_are_given_back() -> None:
    before = {kind: signal.getsignal(kind) for kind in (signal.SIGINT, signal.SIGTERM)}
    with pytest.raises(RuntimeError), StopRequest(minutes=None):
        assert signal.getsignal(signal.SIGINT) is not before[signal.SIGINT]
        raise RuntimeError
    assert {kind: signal.getsignal(kind) for kind in before} == before


def test_time_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = {"now": 1000.0}
    monkeypatch.setattr("tersely.training.signals.time.monotonic", lambda: clock["now"])
    stop, patient = StopRequest(minutes=2), StopRequest(minutes=None)
    for now, is_late in ((1000.0, False), (1119.9, False), (1120.0, True), (9e9, True)):
        clock["now"] = now
        assert stop.made == is_late
        assert not patient.made
