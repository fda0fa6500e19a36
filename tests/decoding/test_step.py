from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from tersely.decoding.step import Found, take
from tersely.runtime.monotone import MonotoneRuntime
from tersely.runtime.paper import Runtime
from tests.decoding.test_beam import Prefixes
from tests.game.small import small_scheme
from tests.game.small_monotone import monotone_folder_of, small_monotone
from tests.runtime.test_paper import folder_of

STATES = {
    "made up": Prefixes([(4,), (5,)]),
    "paper": Runtime(folder_of(small_scheme())).begin([["w5"], ["w6", "w39"]]),
    "monotone": MonotoneRuntime(monotone_folder_of(small_monotone())).begin([["w5"], ["w6"]]),
}


@pytest.mark.parametrize("name", STATES)
def test_rows_that_are_taken_make_a_state_of_the_same_kind(name: str) -> None:
    state = STATES[name]
    turned = take(state, np.array([1, 0, 0]))
    assert type(turned) is type(state)
    again = take(turned, np.array([1, 0]))
    assert type(again) is type(state)


def test_taking_rows_leaves_the_state_as_it_was() -> None:
    state = Prefixes([(4,), (5,), (6,)])
    assert take(state, np.array([2, 2, 0])).rows == [(6,), (6,), (4,)]
    assert take(state, np.array([], np.int64)).rows == []
    assert state.rows == [(4,), (5,), (6,)]


def test_what_was_found_stays_as_it_was_found() -> None:
    found = Found((4, 5), -1.5)
    assert found == Found((4, 5), -1.5)
    assert found != Found((4, 5), -1.6)
    assert len({found, Found((4, 5), -1.5)}) == 1
    with pytest.raises(FrozenInstanceError):
        found.log_probability = 0.0  # type: ignore[misc]
