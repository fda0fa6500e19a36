from itertools import pairwise

import numpy as np
import pytest

from tersely.model.budget_features import (
    DECODER_FEATURES,
    ENCODER_FEATURES,
    LENGTHS,
    SHARES,
    decoder_hint,
    encoder_hint,
    keywords_at,
)

NAN = float("nan")
LONGEST = int(LENGTHS[-1])


def lengths_of(budget: float, keywords: int) -> np.ndarray:
    """The bumps over the length that a budget and its keywords imply."""
    return decoder_hint([budget], [keywords])[0, ENCODER_FEATURES:-1]


@pytest.mark.parametrize(
    ("budget", "tokens", "count"),
    [(0.5, 1, 1), (0.5, 3, 2), (0.5, 5, 3), (0.4, 1, 0), (0.24, 10, 2), (0.26, 10, 3), (0.1, 0, 0)],
)
def test_a_share_of_whole_tokens_is_rounded_and_halves_upwards(
    budget: float, tokens: int, count: int
) -> None:
    assert keywords_at(budget, tokens) == count


@pytest.mark.parametrize("tokens", range(1, 30))
def test_more_budget_types_no_fewer_tokens_from_none_to_all(tokens: int) -> None:
    budgets = np.linspace(0, 1, 301).tolist()
    counts = [keywords_at(budget, tokens) for budget in budgets]
    assert counts == sorted(counts)
    assert set(counts) == set(range(tokens + 1))
    assert (counts[0], counts[-1]) == (0, tokens)
    for budget, count in zip(budgets, counts, strict=True):
        assert abs(count - budget * tokens) <= 0.5 + 1e-9


def test_a_budget_makes_positive_bumps() -> None:
    for features in (
        encoder_hint([0.05, 0.4, 1.0]),
        decoder_hint([0.05, 0.4, 1.0], [1, 3, 8])[:, :-1],
    ):
        assert features.dtype == np.float32
        assert ((features > 0) & (features <= 1)).all()
    assert encoder_hint([0.05, 0.4, 1.0]).shape == (3, ENCODER_FEATURES)
    assert decoder_hint([0.05, 0.4, 1.0], [1, 3, 8]).shape == (3, DECODER_FEATURES)


def test_a_budget_that_is_not_told_has_only_the_last_feature() -> None:
    hints = decoder_hint([NAN, 0.4, NAN, NAN], [0, 3, 3, 20])
    for untold in hints[[0, 2, 3]]:
        assert untold.tolist() == [0.0] * (DECODER_FEATURES - 1) + [1.0]
    assert hints[1, -1] == 0
    assert np.array_equal(hints[1], decoder_hint([0.4], [3])[0])


def test_both_sides_are_told_the_budget_alike_whatever_is_typed() -> None:
    budgets = np.linspace(0.02, 1, 50)
    for keywords in (0, 1, 7):
        told = decoder_hint(budgets, np.full(50, keywords))
        assert np.array_equal(told[:, :ENCODER_FEATURES], encoder_hint(budgets))


def test_different_budgets_have_different_features() -> None:
    features = encoder_hint(np.linspace(0, 1, 200))
    assert all(np.abs(one - other).max() > 1e-3 for one, other in pairwise(features))
    assert len(np.unique(features.round(3), axis=0)) == 200


def test_the_highest_bump_moves_from_the_first_to_the_last() -> None:
    highest = encoder_hint(np.linspace(0, 1, 100)).argmax(axis=1)
    assert highest.tolist() == sorted(highest)
    assert set(highest) == set(range(ENCODER_FEATURES))
    assert encoder_hint(SHARES).diagonal().tolist() == [1.0] * ENCODER_FEATURES


@pytest.mark.parametrize(
    ("budget", "keywords", "length"),
    [(0.5, 1, 2), (0.5, 4, 8), (0.25, 2, 8), (0.2, 4, 20), (1.0, 6, 6), (0.125, 3, 24)],
)
def test_the_decoder_is_told_the_length_that_the_keywords_imply(
    budget: float, keywords: int, length: int
) -> None:
    bumps = lengths_of(budget, keywords)
    assert LENGTHS[bumps.argmax()] == length
    assert bumps.max() == pytest.approx(1)
    assert np.allclose(bumps, lengths_of(1.0, length), atol=1e-6)


@pytest.mark.parametrize("tokens", range(4, LONGEST + 1))
def test_who_types_a_budget_tells_how_long_the_sentence_is(tokens: int) -> None:
    for budget in (0.3, 0.5, 0.65, 0.9):
        implied = LENGTHS[lengths_of(budget, keywords_at(budget, tokens)).argmax()]
        assert abs(implied - tokens) <= 0.5 / budget + 1  # rounding, and half a step of LENGTHS


@pytest.mark.parametrize(
    ("budget", "keywords", "end"), [(1.0, 1, 2), (0.8, 1, 2), (0.1, 3, LONGEST), (1e-6, 9, LONGEST)]
)
def test_beyond_the_ends_a_length_is_told_as_the_end(
    budget: float, keywords: int, end: int
) -> None:
    assert np.array_equal(lengths_of(budget, keywords), lengths_of(1.0, end))


def test_without_keywords_a_sentence_is_about_as_long_as_a_quarter_of_one_stands_for() -> None:
    assert np.allclose(lengths_of(0.1, 0), lengths_of(0.8, 2), atol=1e-6)  # 2.5 tokens
    assert np.allclose(lengths_of(0.025, 0), lengths_of(0.5, 5), atol=1e-6)  # 10 tokens
    assert np.isfinite(decoder_hint([1e-6, 0.5, 1.0], [0, 0, 0])).all()
    for budget in (0.05, 0.1, 0.2):
        none, one = (float(lengths_of(budget, count) @ LENGTHS) for count in (0, 1))
        assert none < one


def test_a_small_change_of_the_budget_changes_hints_little() -> None:
    budgets = np.linspace(0.01, 1, 1000)
    assert np.abs(encoder_hint(budgets) - encoder_hint(budgets * 1.001)).max() < 0.01
    for keywords in range(10):
        count = np.full(1000, keywords)
        changes = np.abs(decoder_hint(budgets, count) - decoder_hint(budgets * 1.001, count))
        assert changes.max() < 0.01


def test_where_words_are_spent_freely_no_length_is_told() -> None:
    told = decoder_hint([0.4, 0.4, NAN], [3, 3, 3], freely=[True, False, True])
    assert not told[0, ENCODER_FEATURES:].any()
    assert (told[0, :ENCODER_FEATURES] == told[1, :ENCODER_FEATURES]).all()
    assert told[1, ENCODER_FEATURES:-1].all()
    assert told[2].tolist() == decoder_hint([NAN], [3])[0].tolist()
    assert (decoder_hint([0.4], [3], freely=True)[0] == told[0]).all()
