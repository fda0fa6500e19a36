from pathlib import Path

import pytest

from tersely.model.completer import Completer
from tersely.service.cutting import CuttableRuntime, DecodeCutError


@pytest.fixture
def completer(trained: Path) -> Completer:
    found = Completer.load(trained)
    found.runtime = CuttableRuntime(found.runtime)
    return found


def test_a_wanted_decode_finds_what_it_always_does(completer: Completer, trained: Path) -> None:
    usual = Completer.load(trained)
    with completer.runtime.while_wanted(lambda: True):
        assert completer.complete("soup") == usual.complete("soup")
        assert completer.complete("so", prefix=True) == usual.complete("so", prefix=True)


@pytest.mark.promise(13)
@pytest.mark.parametrize("prefix", [False, True])
def test_a_decode_nobody_wants_stops_at_its_next_step(completer: Completer, prefix: bool) -> None:
    steps: list[int] = []

    def is_wanted() -> bool:
        steps.append(1)
        return len(steps) < 3

    with completer.runtime.while_wanted(is_wanted), pytest.raises(DecodeCutError):
        completer.complete("soup", prefix=prefix)
    assert len(steps) == 3


def test_afterwards_it_decodes_again(completer: Completer) -> None:
    with completer.runtime.while_wanted(lambda: False), pytest.raises(DecodeCutError):
        completer.complete("soup")
    assert completer.complete("soup")
