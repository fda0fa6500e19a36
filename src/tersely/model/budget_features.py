"""Hints: what encoder and decoder are told of a budget.

A budget b is the share of a sentence's tokens that its user types: round(b × tokens) of
them, those worth most. Both sides know the rule. A decoder that is told b and counts the
keywords can therefore tell how long the sentence is about to be; it is told that too,
so that it need not learn to divide. Where a budget is spent freely (spending.py) it holds in
the mean only, and no length is told. Users who follow no budget are answered without hints.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

SHARES = np.linspace(0.0, 1.0, 9)
LENGTHS = np.linspace(2.0, 24.0, 12)
ENCODER_FEATURES = len(SHARES)
DECODER_FEATURES = len(SHARES) + len(LENGTHS) + 1


@dataclass(frozen=True, slots=True)
class DecoderBudget:
    """The budget a decoder is conditioned on."""

    share: float
    is_even: bool = True
    """Whether every sentence gets this share, so that a length follows from it."""


def keywords_at(budget: float, tokens: int) -> int:
    """How many of a sentence's tokens are typed at a budget."""
    return math.floor(budget * tokens + 0.5)


def encoder_hint(budgets: npt.ArrayLike) -> Floats:
    """Map budgets (rows,) to features (rows, ENCODER_FEATURES)."""
    return _bumps(np.asarray(budgets, np.float64), SHARES).astype(np.float32)


def decoder_hint(
    budgets: npt.ArrayLike, keywords: npt.ArrayLike, *, freely: npt.ArrayLike = False
) -> Floats:
    """Map budgets (rows,), NaN where none is told, and counts of keywords to features.

    Bumps over the budget, bumps over the length it implies unless it is spent freely, and
    "nothing is told".
    """
    given, counts = np.asarray(budgets, np.float64), np.asarray(keywords, np.float64)
    untold = np.isnan(given)
    share = np.where(untold, 1.0, given)
    # Without a keyword a sentence is shorter than half a keyword's worth of tokens.
    length = np.where(counts > 0, counts, 0.25) / share
    lengths = np.where(np.asarray(freely)[..., None], np.float32(0), _bumps(length, LENGTHS))
    told = np.concatenate([_bumps(share, SHARES), lengths], axis=1)
    told[untold] = 0.0
    return np.concatenate([told, untold[:, None]], axis=1).astype(np.float32)


def _bumps(values: npt.NDArray[np.float64], centres: npt.NDArray[np.float64]) -> Floats:
    width = centres[1] - centres[0]
    inside = values.clip(centres[0], centres[-1])
    found: Floats = np.exp(-0.5 * ((inside[:, None] - centres) / width) ** 2)
    return found
