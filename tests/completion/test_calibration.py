import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tersely.completion.calibration import MAX_COEFFICIENT, Calibration
from tersely.errors import TerselyError

calibrations = st.builds(
    Calibration,
    slope=st.floats(1e-3, MAX_COEFFICIENT),
    behind=st.floats(0, MAX_COEFFICIENT),
    offset=st.floats(-MAX_COEFFICIENT, MAX_COEFFICIENT),
)
best_first = st.lists(st.floats(0, 1), max_size=10).map(lambda row: sorted(row, reverse=True))


@settings(max_examples=1000)
@given(calibrations, best_first)
@example(Calibration(slope=MAX_COEFFICIENT), [1.0, 1e-12, 1e-300, 0.0])
@example(
    Calibration(slope=MAX_COEFFICIENT, behind=MAX_COEFFICIENT, offset=-MAX_COEFFICIENT), [0.5, 1e-9]
)
def test_the_order_stays_and_scores_stay_probabilities(
    calibration: Calibration, chances: list[float]
) -> None:
    scores = calibration.apply(chances)
    assert len(scores) == len(chances)
    assert all(0 <= score <= 1 for score in scores)
    assert all(before >= after for before, after in pairwise(scores))


@given(best_first)
def test_a_model_without_calibration_has_plain_probabilities(chances: list[float]) -> None:
    assert Calibration.from_settings({}).apply(chances) == chances
    assert Calibration.from_settings({"calibration": {}}).apply(chances) == chances


@given(calibrations)
def test_settings_give_the_calibration_back(calibration: Calibration) -> None:
    settings = {"calibration": calibration.as_settings()}
    assert Calibration.from_settings(settings) == calibration


@given(calibrations, st.floats(1e-6, 1 - 1e-6))
def test_the_first_is_scored_by_its_odds_alone(calibration: Calibration, chance: float) -> None:
    [score] = calibration.apply([chance])
    odds = calibration.slope * math.log(chance / (1 - chance)) + calibration.offset
    assert score == pytest.approx(0.5 + 0.5 * math.tanh(odds / 2), abs=1e-6)


def test_other_suggestions_can_be_scored_lower_than_the_first() -> None:
    plain = Calibration(slope=1.0, offset=1e-9).apply([0.4, 0.2])
    held = Calibration(slope=1.0, behind=1.0, offset=1e-9).apply([0.4, 0.2])
    assert held[0] == pytest.approx(plain[0])
    assert plain[1] == pytest.approx(0.2)
    # Half as likely as the first: the odds of 0.2 are halved once more.
    assert held[1] == pytest.approx(0.125 / 1.125)


def test_a_probability_of_0_stays_0() -> None:
    assert Calibration(slope=0.1, offset=50).apply([0.9, 0.0])[1] == 0.0
    assert Calibration(slope=2.0).apply([]) == []


HOSTILE: list[Any] = [
    [],
    "1.0",
    None,
    {"slope": None},
    {"slope": "1"},
    {"slope": True},
    {"slope": math.nan},
    {"slope": math.inf},
    {"slope": 10**400},
    {"offset": -MAX_COEFFICIENT - 1},
    {"behind": [1]},
    {"slope": 1.0, "curve": 2.0},
    {"__class__": 1.0},
]


@pytest.mark.parametrize("table", HOSTILE, ids=repr)
def test_an_invalid_calibration_is_refused(table: Any) -> None:
    with pytest.raises(TerselyError, match="calibration must hold slope"):
        Calibration.from_settings({"calibration": table})


@pytest.mark.parametrize("table", [{"slope": 0}, {"slope": -1.0}, {"behind": -0.1}])
def test_a_calibration_that_would_change_the_order_is_refused(table: dict[str, float]) -> None:
    with pytest.raises(TerselyError, match="would change their order"):
        Calibration.from_settings({"calibration": table})
