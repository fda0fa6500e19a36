import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.errors import TerselyError
from tersely.model.budget_features import keyword_counts
from tersely.selection.budget import (
    DEFAULT_SHARPNESS,
    MAX_STEP_TOKENS,
    Allocation,
    BudgetTable,
    Counts,
    Floats,
    MarginalGains,
    marginal_gains,
    refine_budget_rows,
    sort_by_value,
    threshold_for,
)
from tersely.text.tokens import SHIFT

SHARES = np.linspace(0.01, 0.9, 90)
LENGTHS = np.arange(1, 25)


def random_losses(rows: int = 200, time: int = 12, seed: int = 1) -> tuple[Floats, Floats, Counts]:
    """Values, token_losses and lengths of sentences; some words must be typed, some cannot be."""
    rng = np.random.default_rng(seed)
    token_losses = rng.gamma(1.0, 1.5, size=(rows, time, 2))
    token_losses[..., 1] *= 0.2
    values = token_losses[..., 0] - token_losses[..., 1]
    values[rng.random(values.shape) < 0.05] = np.inf
    values[rng.random(values.shape) < 0.1] = -np.inf
    return values, token_losses, rng.integers(1, time + 1, size=rows)


def recovery(values: Floats, token_losses: Floats, count: int) -> float:
    """p(recovered) with the `count` most valuable tokens typed, summed word by word."""
    order = sorted(range(len(values)), key=lambda index: (-values[index], index))
    nats = 0.0
    for position, index in enumerate(order):
        if position < count:
            nats += max(0.0, token_losses[index, 1])
        elif values[index] == math.inf:
            nats = math.inf
        else:
            nats += max(0.0, token_losses[index, 0])
    return math.exp(-DEFAULT_SHARPNESS * nats)


def test_an_even_allocation_types_the_share_of_every_sentence() -> None:
    for share in SHARES:
        counts = Allocation(float(share)).counts(*random_losses())
        assert counts.tolist() == [keyword_counts(share, length) for length in random_losses()[2]]
        alone = [keyword_counts(share, length) for length in LENGTHS]
        assert keyword_counts(share, LENGTHS).tolist() == alone


def test_a_gain_is_what_one_more_keyword_adds_to_the_recovery() -> None:
    values, token_losses, lengths = random_losses()
    ranked = sort_by_value(values, token_losses, lengths)
    counts = np.minimum(keyword_counts(0.4, lengths), ranked.n_typable)
    gains = marginal_gains(ranked, keyword_counts(0.4, lengths))
    for row, (length, count) in enumerate(zip(lengths, counts, strict=True)):
        sentence = values[row, :length], token_losses[row, :length]
        n_typable = int((sentence[0] > -np.inf).sum())
        by_count = [recovery(*sentence, n) for n in range(length + 1)]
        assert ranked.n_typable[row] == n_typable
        assert gains.min_counts[row] == max(0, count - 1)
        first = by_count[count] - by_count[count - 1] if count else math.nan
        second = by_count[count + 1] - by_count[count] if count < n_typable else math.nan
        if second > first:
            first = second = (first + second) / 2
        assert gains.gains[row] == pytest.approx([first, second], nan_ok=True, abs=1e-12)


def test_with_a_threshold_a_sentence_gets_at_most_one_keyword_more_or_fewer() -> None:
    values, token_losses, lengths = random_losses()
    n_typable = sort_by_value(values, token_losses, lengths).n_typable
    even = np.minimum(keyword_counts(0.4, lengths), n_typable)
    for threshold in (0.0, 1e-4, 0.01, 0.1, 1.0):
        counts = Allocation(0.4, threshold).counts(values, token_losses, lengths)
        assert (np.abs(counts - even) <= 1).all()
        assert (counts <= n_typable).all()
        assert (counts >= 0).all()
    assert (
        Allocation(0.4, 1.0).counts(values, token_losses, lengths) == np.maximum(even - 1, 0)
    ).all()


def test_keywords_go_where_they_recover_most() -> None:
    """No other allocation of as many keywords, within one of the share, recovers more."""
    values, token_losses, lengths = random_losses(rows=7, time=6, seed=3)
    ranked = sort_by_value(values, token_losses, lengths)
    even = np.minimum(keyword_counts(0.5, lengths), ranked.n_typable)
    threshold = threshold_for(marginal_gains(ranked, even), float(even.sum()))
    counts = Allocation(0.5, threshold).counts(values, token_losses, lengths)

    def total_recovery(counts: tuple[int, ...]) -> float:
        return sum(
            recovery(values[row, :length], token_losses[row, :length], count)
            for row, (length, count) in enumerate(zip(lengths, counts, strict=True))
        )

    ranges = [
        range(max(0, count - 1), min(n_typable, count + 1) + 1)
        for count, n_typable in zip(even, ranked.n_typable, strict=True)
    ]
    best = max(total_recovery(way) for way in product(*ranges) if sum(way) == counts.sum())
    assert total_recovery(tuple(counts)) == pytest.approx(best)
    assert total_recovery(tuple(counts)) > 1.01 * total_recovery(tuple(even))


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.65, 0.75])
def test_the_fitted_threshold_types_the_share(share: float) -> None:
    values, token_losses, lengths = random_losses(rows=2000)
    gains = marginal_gains(
        sort_by_value(values, token_losses, lengths), keyword_counts(share, lengths)
    )
    threshold = threshold_for(gains, share * lengths.sum())
    typed = Allocation(share, threshold).counts(values, token_losses, lengths).sum() / lengths.sum()
    assert typed == pytest.approx(share, abs=0.003)


def test_impossible_numbers_of_keywords_take_all_gains_or_none() -> None:
    values, token_losses, lengths = random_losses()
    gains = marginal_gains(
        sort_by_value(values, token_losses, lengths), keyword_counts(0.2, lengths)
    )
    assert (gains.counts_above(threshold_for(gains, 0.0)) == gains.min_counts).all()
    assert (gains.gains > threshold_for(gains, 1e6)).sum() == (gains.gains > 0).sum()
    nothing = MarginalGains(np.zeros(1, np.int64), np.full((1, 2), np.nan))
    assert threshold_for(nothing, 1.0) == 0.0


def test_keywords_with_a_negative_gain_are_never_typed() -> None:
    """Where typing costs more than it saves, the threshold is 0."""
    token_losses = np.array([[[2.0, 0.1], [0.1, 0.3], [0.1, 0.5]]])
    values = token_losses[..., 0] - token_losses[..., 1]
    gains = marginal_gains(sort_by_value(values, token_losses, [3]), np.array([2]))
    assert (gains.gains < 0).all()
    for typed in (0.0, 1.0, 2.0, 3.0):
        threshold = threshold_for(gains, typed)
        assert threshold == 0.0
        assert Allocation(0.75, threshold).counts(values, token_losses, [3]).tolist() == [1]


def test_padding_does_not_matter() -> None:
    values, token_losses, lengths = random_losses()
    wide = np.pad(values, ((0, 0), (0, 5)), constant_values=9.0)
    far = np.pad(token_losses, ((0, 0), (0, 5), (0, 0)), constant_values=9.0)
    for allocation in (Allocation(0.3), Allocation(0.3, 0.01)):
        expected = allocation.counts(values, token_losses, lengths)
        assert (allocation.counts(wide, far, lengths) == expected).all()


def test_a_higher_sharpness_prefers_sentences_that_are_nearly_recovered() -> None:
    """A word that saves three nats where five remain, or one that saves the only nat there is."""
    token_losses = np.array([[[3.0, 0.0], [5.0, 0.0]], [[1.0, 0.0], [0.0, 0.0]]])
    values = np.array([[3.0, -np.inf], [1.0, -np.inf]])

    def gains(sharpness: float) -> Floats:
        return marginal_gains(
            sort_by_value(values, token_losses, [2, 2]), np.array([1, 1]), sharpness
        ).gains[:, 0]

    assert gains(0.05)[0] > gains(0.05)[1]
    assert gains(1.0)[0] < gains(1.0)[1]


def table(budgets: list[float], typed: list[float]) -> dict[str, Any]:
    rows = zip(budgets, typed, strict=True)
    return {"budgets": [{"budget": b, "typed_fraction": t} for b, t in rows]}


def test_a_fraction_is_looked_up_in_the_table() -> None:
    budgets = BudgetTable.from_settings(table([0.1, 0.3, 0.9], [0.2, 0.4, 0.8]))
    assert budgets.budget_for(0.4) == pytest.approx(0.3)
    assert budgets.budget_for(0.3) == pytest.approx(0.2)
    assert budgets.budget_for(0.6) == pytest.approx(0.6)


def test_beyond_the_ends_the_nearest_budget_is_taken() -> None:
    budgets = BudgetTable.from_settings(table([0.1, 0.3, 0.9], [0.2, 0.4, 0.8]))
    assert budgets.budget_for(0.01) == budgets.budget_for(0.2) == pytest.approx(0.1)
    assert budgets.budget_for(1.0) == budgets.budget_for(0.8) == pytest.approx(0.9)


@pytest.mark.parametrize("noise", [0.0, 0.05, 0.5])
def test_a_larger_share_never_takes_a_smaller_budget_however_noisy_the_table(noise: float) -> None:
    rng, asked = np.random.default_rng(1), np.linspace(0.1, 0.9, 12)
    for _ in range(50):
        typed = (asked + noise * rng.normal(size=12)).clip(0, 1)
        budgets = BudgetTable.from_settings(table(asked.tolist(), typed.tolist()))
        found = [budgets.budget_for(fraction) for fraction in np.linspace(0, 1, 101)]
        assert found == sorted(found)
        assert 0.099 < found[0] <= found[-1] < 0.901


ROW = {"budget": 0.4, "typed_fraction": 0.5}
ROWS_WITH_BARS = [{**ROW, "bar": 0.1}, {"budget": 0.6, "typed_fraction": 0.7, "bar": 0.2}]
INVALID_TABLES: dict[str, dict[str, Any]] = {
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
    "a bar below nothing": {"budgets": [{**ROWS_WITH_BARS[0], "bar": -0.1}, ROWS_WITH_BARS[1]]},
    "a bar that is no number": {"budgets": [ROWS_WITH_BARS[0], {**ROW, "bar": float("nan")}]},
    "a bar in words": {"budgets": [ROWS_WITH_BARS[0], {**ROWS_WITH_BARS[1], "bar": "high"}]},
}


@pytest.mark.parametrize("case", INVALID_TABLES)
def test_an_invalid_table_is_refused(case: str) -> None:
    with pytest.raises(TerselyError, match="budgets must be a list"):
        BudgetTable.from_settings(INVALID_TABLES[case])


@pytest.mark.parametrize("budgets", [[0.6, 0.4], [0.4, 0.4]])
def test_a_table_whose_budgets_do_not_rise_is_refused(budgets: list[float]) -> None:
    with pytest.raises(TerselyError, match="budgets must rise"):
        BudgetTable.from_settings(table(budgets, [0.2, 0.5]))


def n_typed(budget: float, lengths: list[int]) -> int:
    """Count the keywords of sentences that begin with a case mark, which is not typed."""
    return sum(min(int(keyword_counts(budget, length)), length - 1) for length in lengths)


def sentences_of(lengths: list[int]) -> list[list[str]]:
    return [[SHIFT, *["word"] * (length - 1)] for length in lengths]


@given(lengths=st.lists(st.integers(2, MAX_STEP_TOKENS), min_size=1, max_size=30))
def test_steps_are_counted_exactly(lengths: list[int]) -> None:
    rows = refine_budget_rows([], sentences_of(lengths))
    budgets = [row["budget"] for row in rows]
    assert budgets == sorted(set(budgets))
    for row in rows[::9]:
        typed = n_typed(row["budget"], lengths)
        assert row["typed_fraction"] == pytest.approx(typed / sum(lengths))


def test_every_possible_fraction_has_a_row() -> None:
    lengths = list(range(2, MAX_STEP_TOKENS + 1))
    rows = refine_budget_rows([], sentences_of(lengths))
    seen = {round(row["typed_fraction"], 9) for row in rows}
    for budget in np.linspace(0.07, 0.88, 2000):
        typed = n_typed(budget, lengths)
        assert round(typed / sum(lengths), 9) in seen


def test_other_fields_of_a_row_stay_and_its_fraction_is_measured_again() -> None:
    before = [{"budget": 0.5, "typed_fraction": 0.1, "loss_nats_a_token": 0.4}]
    rows = refine_budget_rows(before, sentences_of([8]))
    [row] = [row for row in rows if row["budget"] == 0.5]
    assert row == {"budget": 0.5, "typed_fraction": 0.5, "loss_nats_a_token": 0.4}


def test_a_share_near_a_step_takes_that_step_and_not_one_between() -> None:
    rows = refine_budget_rows([], sentences_of([10] * 5 + [7] * 3))
    budgets = BudgetTable.from_settings({"budgets": rows})
    for row in rows:
        found = budgets.budget_for(row["typed_fraction"] + 0.002)
        typed = [keyword_counts(found, length) for length in [10] * 5 + [7] * 3]
        assert sum(typed) / 71 == pytest.approx(row["typed_fraction"], abs=0.03)


def test_case_marks_count_where_they_are_typed() -> None:
    sentences = [[SHIFT, "a", SHIFT, "b"]]
    dropped = refine_budget_rows([{"budget": 1.0}], sentences)[-1]
    typed = refine_budget_rows([{"budget": 1.0}], sentences, types_shift=True)[-1]
    assert dropped["typed_fraction"] == 0.5
    assert typed["typed_fraction"] == 1.0


def test_with_thresholds_the_nearest_row_is_taken() -> None:
    budgets = BudgetTable.from_settings({"budgets": ROWS_WITH_BARS})
    assert budgets.allocation_for(0.01) == budgets.allocation_for(0.55) == Allocation(0.4, 0.1)
    assert budgets.allocation_for(0.65) == budgets.allocation_for(1.0) == Allocation(0.6, 0.2)


def test_without_thresholds_the_allocation_is_even() -> None:
    budgets = BudgetTable.from_settings(table([0.1, 0.3, 0.9], [0.2, 0.4, 0.8]))
    for fraction in (0.1, 0.33, 0.7):
        assert budgets.allocation_for(fraction) == Allocation(budgets.budget_for(fraction))
    rows = [ROWS_WITH_BARS[0], {"budget": 0.9, "typed_fraction": 0.9}]
    mixed = BudgetTable.from_settings({"budgets": rows})
    assert mixed.allocation_for(0.5).threshold == 0.1
    assert mixed.allocation_for(0.9) == Allocation(0.9)


def test_a_threshold_is_used_with_its_sharpness() -> None:
    budgets = BudgetTable.from_settings({"budgets": ROWS_WITH_BARS, "encoder": {"sharpness": 0.7}})
    assert budgets.allocation_for(0.5) == Allocation(0.4, 0.1, 0.7)
    default = BudgetTable.from_settings({"budgets": ROWS_WITH_BARS, "encoder": {}})
    assert default.sharpness == DEFAULT_SHARPNESS


@pytest.mark.parametrize("sharpness", [0.0, -1, float("nan"), 101, "sharp", None, True])
def test_an_invalid_sharpness_is_refused(sharpness: object) -> None:
    with pytest.raises(TerselyError, match="sharpness"):
        BudgetTable.from_settings({"budgets": ROWS_WITH_BARS, "encoder": {"sharpness": sharpness}})
