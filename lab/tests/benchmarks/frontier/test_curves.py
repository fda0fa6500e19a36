import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely_lab.benchmarks.frontier.curves import (
    Point,
    best_family,
    compare_points,
    families,
    interpolate,
    lead,
)

SHARES = st.floats(0, 1)


def point(typed: float, exact: float, family: str = "unif", *, short: float = 0.0) -> Point:
    """On sentences of the paper's length half as much is typed, and `short` comes back."""
    return Point(
        name=f"{family}-{typed:g}",
        family=family,
        summary={"typed_fraction": typed, "exact_match": exact, "top3": exact + 0.1},
        matched={"typed_fraction": typed / 2, "exact_match": short},
    )


OURS = [point(0.2, 0.3, "ours", short=0.5), point(0.6, 0.7, "ours", short=0.9)]
UNIF = [point(0.3, 0.1), point(0.5, 0.2)]
CONSTRAINED = [point(0.2, 0.1, "constrained"), point(0.4, 0.3, "constrained")]


@pytest.mark.parametrize(
    ("typed", "exact"), [(0.2, 0.3), (0.3, 0.4), (0.5, 0.6), (0.6, 0.7), (0.19, None), (0.61, None)]
)
def test_a_curve_is_interpolated_and_not_extrapolated(typed: float, exact: float | None) -> None:
    value = interpolate(OURS, typed, "exact_match", "all")
    assert value == (None if exact is None else pytest.approx(exact))


def test_each_metric_and_each_subset_has_its_own_curve() -> None:
    assert interpolate(OURS, 0.4, "top3", "all") == pytest.approx(0.6)
    assert interpolate(OURS, 0.2, "exact_match", "matched") == pytest.approx(0.7)
    assert interpolate(OURS, 0.4, "exact_match", "matched") is None


def test_a_single_point_has_a_value_only_at_its_typed_fraction() -> None:
    assert interpolate(OURS[:1], 0.2, "exact_match", "all") == 0.3
    assert interpolate(OURS[:1], 0.21, "exact_match", "all") is None
    assert interpolate([], 0.2, "exact_match", "all") is None


@given(st.lists(st.tuples(SHARES, SHARES), min_size=2, max_size=6), SHARES)
def test_interpolation_ignores_the_order_and_stays_between_the_points(
    rows: list[tuple[float, float]], typed: float
) -> None:
    points = [point(*row) for row in rows]
    value = interpolate(points, typed, "exact_match", "all")
    assert value == interpolate(points[::-1], typed, "exact_match", "all")
    assert (value is not None) == (min(rows)[0] <= typed <= max(rows)[0])
    if value is not None:
        values = [row[1] for row in rows]
        assert min(values) - 1e-9 <= value <= max(values) + 1e-9


def test_families_keep_the_order_in_which_they_appear() -> None:
    by_family = families([UNIF[0], *CONSTRAINED, UNIF[1]])
    assert list(by_family.items()) == [("unif", UNIF), ("constrained", CONSTRAINED)]


def test_the_best_family_depends_on_the_typed_fraction() -> None:
    others = [*UNIF, *CONSTRAINED]
    assert best_family(others, 0.2, "exact_match", "all") == ("constrained", 0.1)
    assert best_family(others, 0.4, "exact_match", "all") == ("constrained", 0.3)
    assert best_family(others, 0.5, "exact_match", "all") == ("unif", 0.2)
    assert best_family(others, 0.7, "exact_match", "all") is None


def test_points_of_two_families_do_not_form_a_curve() -> None:
    apart = [point(0.2, 0.1), point(0.6, 0.2, "stopword")]
    assert best_family(apart, 0.4, "exact_match", "all") is None


def test_a_lead_is_computed_only_where_both_curves_have_values() -> None:
    rows = lead(OURS, [*UNIF, *CONSTRAINED], at=(0.1, 0.3, 0.5, 0.55), metric="exact_match")
    assert [(row["typed_fraction"], row["best_family"]) for row in rows] == [
        (0.3, "constrained"),
        (0.5, "unif"),
    ]
    assert rows[0]["ours"] == pytest.approx(0.4)
    assert rows[0]["best"] == pytest.approx(0.2)
    assert [row["times"] for row in rows] == pytest.approx([2.0, 3.0])


def test_a_lead_on_short_sentences_compares_short_sentences() -> None:
    others = [point(0.2, 0.9, short=0.2), point(0.6, 0.9, short=0.4)]
    [row] = lead(OURS, others, at=[0.1], metric="exact_match", subset="matched")
    assert (row["ours"], row["best"], row["times"]) == (0.5, 0.2, 2.5)


def test_a_lead_over_zero_has_no_ratio() -> None:
    [row] = lead(OURS, [point(0.2, 0.0)], at=[0.2], metric="exact_match")
    assert row["best"] == 0
    assert row["times"] is None


def test_every_scheme_is_beaten_or_not_or_out_of_reach() -> None:
    others = [point(0.3, 0.35), point(0.4, 0.6), point(0.2, 0.3), point(0.9, 0.1)]
    rows = compare_points(OURS, others, "exact_match")
    assert [row["is_beaten"] for row in rows] == [True, False, False, None]
    assert [row["name"] for row in rows] == ["unif-0.3", "unif-0.4", "unif-0.2", "unif-0.9"]
    assert rows[1]["theirs"] == 0.6
    assert rows[1]["ours"] == pytest.approx(0.5)
    assert rows[3]["ours"] is None


def test_a_scheme_may_be_ahead_on_short_sentences_only() -> None:
    other = point(0.4, 0.1, short=0.8)
    assert compare_points(OURS, [other], "exact_match")[0]["is_beaten"]
    [row] = compare_points(OURS, [other], "exact_match", "matched")
    assert (row["typed_fraction"], row["is_beaten"]) == (0.2, False)
