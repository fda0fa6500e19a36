from pathlib import Path

import pytest

from tersely.completion.completer import Completer
from tersely.service.hurrying import HurriedWishes, Hurry


def test_time_runs_out_once_and_for_all() -> None:
    now = 0.0
    hurry = Hurry(2.0, lambda: True, clock=lambda: now)
    assert not hurry.is_late()
    now = 2.1
    assert hurry.is_late()
    assert hurry.has_cut
    now = 0.0
    assert hurry.is_late()


def test_nobody_waiting_ends_it_too() -> None:
    waiting = [True, False]
    hurry = Hurry(60.0, lambda: waiting.pop(0))
    assert not hurry.is_late()
    assert not hurry.has_cut
    assert hurry.is_late()
    assert hurry.has_cut


@pytest.mark.promise(13)
@pytest.mark.parametrize("prefix", [False, True])
def test_a_decode_nobody_waits_for_stops_at_its_next_step(trained: Path, prefix: bool) -> None:
    completer = Completer.load(trained)
    asked: list[int] = []

    def is_wanted() -> bool:
        asked.append(1)
        return len(asked) < 3

    hurry = Hurry(60.0, is_wanted)
    completer.answer(["soup"], 3, HurriedWishes(prefix=prefix, hurry=hurry))
    assert hurry.has_cut
    assert len(asked) == 3


def test_a_decode_in_time_finds_what_it_always_does(trained: Path) -> None:
    completer = Completer.load(trained)
    hurry = Hurry(60.0, lambda: True)
    found = completer.answer(["soup"], 3, HurriedWishes(hurry=hurry))
    assert found == [completer.complete("soup")]
    assert not hurry.has_cut
