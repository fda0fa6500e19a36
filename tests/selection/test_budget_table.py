from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.errors import TerselyError
from tersely.model.budget_features import keywords_at
from tersely.selection.budget import SHARPNESS, Spending
from tersely.selection.budget_table import LONGEST, Budgets, with_steps
from tersely.text.tokens import SHIFT


def table(budgets: list[float], typed: list[float]) -> dict[str, Any]:
    rows = zip(budgets, typed, strict=True)
    return {"budgets": [{"budget": b, "typed_fraction": t} for b, t in rows]}


def test_a_share_is_looked_up_in_the_table() -> None:
    budgets = Budgets.from_settings(table([0.1, 0.3, 0.9], [0.2, 0.4, 0.8]))
    assert budgets.budget_for(0.4) == pytest.approx(0.3)
    assert budgets.budget_for(0.3) == pytest.approx(0.2)
    assert budgets.budget_for(0.6) == pytest.approx(0.6)


def test_beyond_the_ends_the_nearest_budget_is_taken() -> None:
    budgets = Budgets.from_settings(table([0.1, 0.3, 0.9], [0.2, 0.4, 0.8]))
    assert budgets.budget_for(0.01) == budgets.budget_for(0.2) == pytest.approx(0.1)
    assert budgets.budget_for(1.0) == budgets.budget_for(0.8) == pytest.approx(0.9)


@pytest.mark.parametrize("noise", [0.0, 0.05, 0.5])
def test_a_larger_share_never_takes_a_smaller_budget_however_noisy_the_table(noise: float) -> None:
    rng, asked = np.random.default_rng(1), np.linspace(0.1, 0.9, 12)
    for _ in range(50):
        typed = (asked + noise * rng.normal(size=12)).clip(0, 1)
        budgets = Budgets.from_settings(table(asked.tolist(), typed.tolist()))
        found = [budgets.budget_for(wanted) for wanted in np.linspace(0, 1, 101)]
        assert found == sorted(found)
        assert 0.099 < found[0] <= found[-1] < 0.901


ROW = {"budget": 0.4, "typed_fraction": 0.5}
BARS = [{**ROW, "bar": 0.1}, {"budget": 0.6, "typed_fraction": 0.7, "bar": 0.2}]
NO_TABLE: dict[str, dict[str, Any]] = {
    "nothing": {},
    "no list": {"budgets": {"0": ROW}},
    "one row": {"budgets": [ROW]},
    "rows that are no tables": {"budgets": [[0.4, 0.5], [0.6, 0.7]]},
    "a row without a share": {"budgets": [ROW, {"budget": 0.6}]},
    "a budget of nothing": table([0.0, 0.5], [0.2, 0.5]),
    "a budget of more than all": table([0.5, 1.1], [0.2, 0.5]),
    "a budget that is no number": table([0.5, float("nan")], [0.2, 0.5]),
    "a truth value": {"budgets": [ROW, {"budget": 0.6, "typed_fraction": True}]},
    "words": {"budgets": [ROW, {"budget": "0.6", "typed_fraction": 0.6}]},
    "more than all": table([0.4, 0.6], [0.2, 1.1]),
    "less than nothing": table([0.4, 0.6], [-0.2, 0.5]),
    "a bar below nothing": {"budgets": [{**BARS[0], "bar": -0.1}, BARS[1]]},
    "a bar that is no number": {"budgets": [BARS[0], {**BARS[1], "bar": float("nan")}]},
    "a bar in words": {"budgets": [BARS[0], {**BARS[1], "bar": "high"}]},
}


@pytest.mark.parametrize("case", NO_TABLE)
def test_what_is_no_table_of_budgets_is_refused(case: str) -> None:
    with pytest.raises(TerselyError, match="no table of budgets"):
        Budgets.from_settings(NO_TABLE[case])


@pytest.mark.parametrize("budgets", [[0.6, 0.4], [0.4, 0.4]])
def test_a_table_whose_budgets_do_not_rise_is_refused(budgets: list[float]) -> None:
    with pytest.raises(TerselyError, match="does not rise"):
        Budgets.from_settings(table(budgets, [0.2, 0.5]))


def sentences_of(lengths: list[int]) -> list[list[str]]:
    return [[SHIFT, *["word"] * (length - 1)] for length in lengths]


@given(lengths=st.lists(st.integers(2, LONGEST), min_size=1, max_size=30))
def test_steps_are_counted_exactly(lengths: list[int]) -> None:
    rows = with_steps([], sentences_of(lengths))
    budgets = [row["budget"] for row in rows]
    assert budgets == sorted(set(budgets))
    for row in rows[::9]:
        typed = sum(min(keywords_at(row["budget"], length), length - 1) for length in lengths)
        assert row["typed_fraction"] == pytest.approx(typed / sum(lengths))


def test_no_step_lies_between_two_rows_unseen() -> None:
    """Whatever share can be typed at all is that of some row."""
    lengths = list(range(2, LONGEST + 1))
    rows = with_steps([], sentences_of(lengths))
    seen = {round(row["typed_fraction"], 9) for row in rows}
    for budget in np.linspace(0.07, 0.88, 2000):
        typed = sum(min(keywords_at(budget, length), length - 1) for length in lengths)
        assert round(typed / sum(lengths), 9) in seen


def test_what_rows_say_besides_is_kept_and_their_share_counted_anew() -> None:
    before = [{"budget": 0.5, "typed_fraction": 0.1, "loss_nats_a_token": 0.4}]
    rows = with_steps(before, sentences_of([8]))
    [row] = [row for row in rows if row["budget"] == 0.5]
    assert row == {"budget": 0.5, "typed_fraction": 0.5, "loss_nats_a_token": 0.4}


def test_a_share_near_a_step_takes_that_step_and_not_one_between() -> None:
    rows = with_steps([], sentences_of([10] * 5 + [7] * 3))
    budgets = Budgets.from_settings({"budgets": rows})
    for row in rows:
        found = budgets.budget_for(row["typed_fraction"] + 0.002)
        typed = [keywords_at(found, length) for length in [10] * 5 + [7] * 3]
        assert sum(typed) / 71 == pytest.approx(row["typed_fraction"], abs=0.03)


def test_case_marks_count_where_they_are_typed() -> None:
    sentences = [[SHIFT, "a", SHIFT, "b"]]
    never = with_steps([{"budget": 1.0}], sentences)[-1]
    typed = with_steps([{"budget": 1.0}], sentences, types_marks=True)[-1]
    assert never["typed_fraction"] == 0.5
    assert typed["typed_fraction"] == 1.0


def test_freely_the_nearest_row_is_taken_with_its_bar() -> None:
    budgets = Budgets.from_settings({"budgets": BARS})
    assert budgets.spending_for(0.01) == budgets.spending_for(0.55) == Spending(0.4, 0.1)
    assert budgets.spending_for(0.65) == budgets.spending_for(1.0) == Spending(0.6, 0.2)


def test_without_bars_a_share_is_spent_evenly() -> None:
    budgets = Budgets.from_settings(table([0.1, 0.3, 0.9], [0.2, 0.4, 0.8]))
    for wanted in (0.1, 0.33, 0.7):
        assert budgets.spending_for(wanted) == Spending(budgets.budget_for(wanted))
    mixed = Budgets.from_settings({"budgets": [BARS[0], {"budget": 0.9, "typed_fraction": 0.9}]})
    assert mixed.spending_for(0.5).bar == 0.1
    assert mixed.spending_for(0.9) == Spending(0.9)


def test_bars_are_read_with_the_sharpness_they_were_found_with() -> None:
    budgets = Budgets.from_settings({"budgets": BARS, "encoder": {"sharpness": 0.7}})
    assert budgets.spending_for(0.5) == Spending(0.4, 0.1, 0.7)
    assert Budgets.from_settings({"budgets": BARS, "encoder": {}}).sharpness == SHARPNESS


@pytest.mark.parametrize("sharpness", [0.0, -1, float("nan"), 101, "sharp", None, True])
def test_a_sharpness_that_is_none_is_refused(sharpness: object) -> None:
    with pytest.raises(TerselyError, match="sharpness"):
        Budgets.from_settings({"budgets": BARS, "encoder": {"sharpness": sharpness}})
