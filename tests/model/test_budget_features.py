from itertools import pairwise

import numpy as np
import pytest

from tersely.model.budget_features import (
    DECODER_FEATURES,
    ENCODER_FEATURES,
    LENGTH_CENTRES,
    SHARE_CENTRES,
    Floats,
    decoder_features,
    encoder_features,
    keyword_counts,
)

NAN = float("nan")
MAX_LENGTH = int(LENGTH_CENTRES[-1])


def length_features(budget: float, keywords: int) -> Floats:
    """Return the features of the length that a budget and its keywords imply."""
    features: Floats = decoder_features([budget], [keywords])[0, ENCODER_FEATURES:-1]
    return features


@pytest.mark.parametrize(
    ("budget", "tokens", "count"),
    [(0.5, 1, 1), (0.5, 3, 2), (0.5, 5, 3), (0.4, 1, 0), (0.24, 10, 2), (0.26, 10, 3), (0.1, 0, 0)],
)
def test_the_number_of_keywords_is_rounded_and_halves_up(
    budget: float, tokens: int, count: int
) -> None:
    assert keyword_counts(budget, tokens) == count


def test_a_higher_budget_has_at_least_as_many_keywords_from_none_to_all() -> None:
    budgets = np.linspace(0, 1, 301)
    for tokens in range(1, 30):
        counts = keyword_counts(budgets, tokens)
        assert counts.tolist() == sorted(counts)
        assert set(counts) == set(range(tokens + 1))
        assert (counts[0], counts[-1]) == (0, tokens)
        assert (np.abs(counts - budgets * tokens) <= 0.5 + 1e-9).all()


def test_many_sentences_are_counted_at_once() -> None:
    assert keyword_counts(0.5, [1, 3, 5, 10]).tolist() == [1, 2, 3, 5]
    assert keyword_counts(np.array([0.24, 0.26], np.float32), [10, 10]).tolist() == [2, 3]


def test_features_of_a_budget_are_positive() -> None:
    for features in (
        encoder_features([0.05, 0.4, 1.0]),
        decoder_features([0.05, 0.4, 1.0], [1, 3, 8])[:, :-1],
    ):
        assert features.dtype == np.float32
        assert ((features > 0) & (features <= 1)).all()
    assert encoder_features([0.05, 0.4, 1.0]).shape == (3, ENCODER_FEATURES)
    assert decoder_features([0.05, 0.4, 1.0], [1, 3, 8]).shape == (3, DECODER_FEATURES)


def test_without_a_budget_only_the_last_feature_is_set() -> None:
    features = decoder_features([NAN, 0.4, NAN, NAN], [0, 3, 3, 20])
    for none in features[[0, 2, 3]]:
        assert none.tolist() == [0.0] * (DECODER_FEATURES - 1) + [1.0]
    assert features[1, -1] == 0
    assert np.array_equal(features[1], decoder_features([0.4], [3])[0])


def test_encoder_and_decoder_have_the_same_features_of_the_budget() -> None:
    budgets = np.linspace(0.02, 1, 50)
    for keywords in (0, 1, 7):
        features = decoder_features(budgets, np.full(50, keywords))
        assert np.array_equal(features[:, :ENCODER_FEATURES], encoder_features(budgets))


def test_different_budgets_have_different_features() -> None:
    features = encoder_features(np.linspace(0, 1, 200))
    assert all(np.abs(one - other).max() > 1e-3 for one, other in pairwise(features))
    assert len(np.unique(features.round(3), axis=0)) == 200


def test_the_greatest_feature_moves_from_the_first_to_the_last() -> None:
    greatest = encoder_features(np.linspace(0, 1, 100)).argmax(axis=1)
    assert greatest.tolist() == sorted(greatest)
    assert set(greatest) == set(range(ENCODER_FEATURES))
    assert encoder_features(SHARE_CENTRES).diagonal().tolist() == [1.0] * ENCODER_FEATURES


@pytest.mark.parametrize(
    ("budget", "keywords", "length"),
    [(0.5, 1, 2), (0.5, 4, 8), (0.25, 2, 8), (0.2, 4, 20), (1.0, 6, 6), (0.125, 3, 24)],
)
def test_the_decoders_features_encode_the_implied_length(
    budget: float, keywords: int, length: int
) -> None:
    features = length_features(budget, keywords)
    assert LENGTH_CENTRES[features.argmax()] == length
    assert features.max() == pytest.approx(1)
    assert np.allclose(features, length_features(1.0, length), atol=1e-6)


def test_budget_and_keywords_imply_the_length_of_the_sentence() -> None:
    for tokens in range(4, MAX_LENGTH + 1):
        for budget in (0.3, 0.5, 0.65, 0.9):
            features = length_features(budget, int(keyword_counts(budget, tokens)))
            implied = LENGTH_CENTRES[features.argmax()]
            # Half a keyword of rounding, and half the distance of two centres.
            assert abs(implied - tokens) <= 0.5 / budget + 1


@pytest.mark.parametrize(
    ("budget", "keywords", "end"),
    [(1.0, 1, 2), (0.8, 1, 2), (0.1, 3, MAX_LENGTH), (1e-6, 9, MAX_LENGTH)],
)
def test_a_length_beyond_the_centres_is_encoded_as_the_nearest_one(
    budget: float, keywords: int, end: int
) -> None:
    assert np.array_equal(length_features(budget, keywords), length_features(1.0, end))


def test_without_keywords_the_implied_length_is_that_of_a_quarter_of_a_keyword() -> None:
    assert np.allclose(length_features(0.1, 0), length_features(0.8, 2), atol=1e-6)  # 2.5 tokens
    assert np.allclose(length_features(0.025, 0), length_features(0.5, 5), atol=1e-6)  # 10 tokens
    assert np.isfinite(decoder_features([1e-6, 0.5, 1.0], [0, 0, 0])).all()
    for budget in (0.05, 0.1, 0.2):
        none, one = (float(length_features(budget, count) @ LENGTH_CENTRES) for count in (0, 1))
        assert none < one


def test_a_small_change_of_the_budget_changes_features_little() -> None:
    budgets = np.linspace(0.01, 1, 1000)
    assert np.abs(encoder_features(budgets) - encoder_features(budgets * 1.001)).max() < 0.01
    for keywords in range(10):
        count = np.full(1000, keywords)
        changes = np.abs(
            decoder_features(budgets, count) - decoder_features(budgets * 1.001, count)
        )
        assert changes.max() < 0.01


def test_a_budget_that_holds_on_average_implies_no_length() -> None:
    features = decoder_features([0.4, 0.4, NAN], [3, 3, 3], on_average=[True, False, True])
    assert not features[0, ENCODER_FEATURES:].any()
    assert (features[0, :ENCODER_FEATURES] == features[1, :ENCODER_FEATURES]).all()
    assert features[1, ENCODER_FEATURES:-1].all()
    assert features[2].tolist() == decoder_features([NAN], [3])[0].tolist()
    assert (decoder_features([0.4], [3], on_average=True)[0] == features[0]).all()
