from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from tersely.decoding.step import DecoderState, Hypothesis
from tersely.runtime.monotone import MonotoneRuntime
from tersely.runtime.paper import PaperRuntime
from tests.decoding.language import Prefixes
from tests.game.small import small_scheme
from tests.game.small_monotone import monotone_folder_of, small_monotone
from tests.runtime.test_paper import folder_of

STATES: dict[str, DecoderState] = {
    "made up": Prefixes([(4,), (5,)]),
    "paper": PaperRuntime(folder_of(small_scheme())).begin([["w5"], ["w6", "w39"]]),
    "monotone": MonotoneRuntime(monotone_folder_of(small_monotone())).begin([["w5"], ["w6"]]),
}


@pytest.mark.parametrize("name", STATES)
def test_rows_taken_of_a_state_are_a_state_of_the_same_kind(name: str) -> None:
    state = STATES[name]
    taken = state.take(np.array([1, 0, 0]))
    assert type(taken) is type(state)
    assert type(taken.take(np.array([1, 0]))) is type(state)


def test_taking_rows_does_not_change_the_state() -> None:
    state = Prefixes([(4,), (5,), (6,)])
    assert state.take(np.array([2, 2, 0])).rows == [(6,), (6,), (4,)]
    assert state.take(np.array([], np.int64)).rows == []
    assert state.rows == [(4,), (5,), (6,)]


def test_a_hypothesis_is_a_value() -> None:
    hypothesis = Hypothesis((4, 5), -1.5)
    assert hypothesis == Hypothesis((4, 5), -1.5)
    assert hypothesis != Hypothesis((4, 5), -1.6)
    assert len({hypothesis, Hypothesis((4, 5), -1.5)}) == 1
    with pytest.raises(FrozenInstanceError):
        hypothesis.log_prob = 0.0  # type: ignore[misc]
