"""Budget features: the input by which encoder and decoder are conditioned on a budget.

A budget b is the share of a sentence's tokens that the user types: the round(b × tokens) tokens
of highest value. b and the number of keywords imply the length of the sentence, so the decoder's
features encode both, each by Gaussians around fixed centres. A budget that holds only on average
(selection/budget.py) implies no length. Without a budget all features are 0 but one.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Counts = npt.NDArray[np.int64]

SHARE_CENTRES = np.linspace(0.0, 1.0, 9)
LENGTH_CENTRES = np.linspace(2.0, 24.0, 12)  # tokens
ENCODER_FEATURES = len(SHARE_CENTRES)
DECODER_FEATURES = len(SHARE_CENTRES) + len(LENGTH_CENTRES) + 1
KEYWORDS_IF_NONE = 0.25  # a count of 0 was rounded from a number in [0, 0.5): its middle


@dataclass(frozen=True, slots=True)
class DecoderBudget:
    """The budget a decoder is conditioned on."""

    share: float
    on_average: bool = False
    """Whether the share holds only on average over sentences, so that it implies no length."""


def keyword_counts(budget: npt.ArrayLike, tokens: npt.ArrayLike) -> Counts:
    """Return how many of a sentence's tokens are typed at a budget; halves round up."""
    counts: Counts = np.floor(np.asarray(budget) * np.asarray(tokens) + 0.5).astype(np.int64)
    return counts


def encoder_features(budgets: npt.ArrayLike) -> Floats:
    """Map budgets (rows,) to features (rows, ENCODER_FEATURES)."""
    return _gaussians(np.asarray(budgets, np.float64), SHARE_CENTRES).astype(np.float32)


def decoder_features(
    budgets: npt.ArrayLike, keyword_counts: npt.ArrayLike, *, on_average: npt.ArrayLike = False
) -> Floats:
    """Map budgets (rows,), NaN for none, and numbers of keywords to (rows, DECODER_FEATURES).

    The features are Gaussians of the budget, Gaussians of the length it implies (0 where the
    budget holds only on average), and a flag for "no budget".
    """
    shares, counts = np.asarray(budgets, np.float64), np.asarray(keyword_counts, np.float64)
    has_none = np.isnan(shares)
    shares = np.where(has_none, 1.0, shares)
    lengths = np.where(counts > 0, counts, KEYWORDS_IF_NONE) / shares
    length_features = _gaussians(lengths, LENGTH_CENTRES)
    length_features = np.where(np.asarray(on_average)[..., None], np.float32(0), length_features)
    features = np.concatenate([_gaussians(shares, SHARE_CENTRES), length_features], axis=1)
    features[has_none] = 0.0
    return np.concatenate([features, has_none[:, None]], axis=1).astype(np.float32)


def _gaussians(values: npt.NDArray[np.float64], centres: npt.NDArray[np.float64]) -> Floats:
    width = centres[1] - centres[0]
    inside = values.clip(centres[0], centres[-1])
    features: Floats = np.exp(-0.5 * ((inside[:, None] - centres) / width) ** 2)
    return features
