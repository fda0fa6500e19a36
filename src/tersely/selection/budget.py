"""Spending: how many words of each sentence a budget lets its user type.

Evenly: the budget's share of every sentence, to the nearest word. Freely: one word more than
that where it helps the sentence to come back, one fewer where it does not, and the share in the
mean. What helps is told by the encoder: what tokens cost, left out and typed, adds up to how
likely the sentence comes back. A word more is typed where it adds more to that than the
bar, which is as high as the budget needs it; bars are found on held-out sentences.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating]
Counts = npt.NDArray[np.int64]

DROPPED, KEPT = 0, 1
SHARPNESS = 0.3  # a chance is e^(−0.3 × nats): of being among the first few, not the very first


@dataclass(frozen=True, slots=True)
class Spending:
    """A share of the tokens: of every sentence, or with a bar, in the mean."""

    share: float
    bar: float | None = None  # what a word more must add to the chance
    sharpness: float = SHARPNESS  # with which the bar was found

    def counts(self, worth: Floats, costs: Floats, lengths: npt.ArrayLike) -> Counts:
        """How many tokens of each sentence are typed, if so many can be: (rows,).

        Arguments as `rank` has them.
        """
        even = even_counts(self.share, lengths)
        if self.bar is None:
            return even
        return steps_around(rank(worth, costs, lengths), even, self.sharpness).above(self.bar)


@dataclass(frozen=True, slots=True)
class Steps:
    """The fewest keywords that sentences may get, and what further ones add to the chance."""

    fewest: Counts  # (rows,)
    gains: Floats  # (rows, 2); NaN where there is no such step

    def above(self, bar: npt.ArrayLike) -> Counts:
        """How many keywords there are with every step above the bar, or each row's: (rows,)."""
        counts: Counts = self.fewest + (self.gains > np.asarray(bar)[..., None]).sum(axis=1)
        return counts


@dataclass(frozen=True, slots=True)
class Ranked:
    """What tokens cost, in nats, those worth most first."""

    left_out: Floats  # (rows, time)
    typed: Floats  # (rows, time)
    can: Counts  # tokens that may be typed: (rows,)


def even_counts(share: npt.ArrayLike, lengths: npt.ArrayLike) -> Counts:
    """The same share of every sentence; halves upwards, as model/budget_features.py's keywords_at."""
    counts: Counts = np.floor(np.asarray(share) * np.asarray(lengths) + 0.5).astype(np.int64)
    return counts


def rank(worth: Floats, costs: Floats, lengths: npt.ArrayLike) -> Ranked:
    """Order tokens by worth (rows, time), of costs (rows, time, 2), left out and typed.

    A worth of ∞ is that of a word that can only be copied: until all of those are typed a
    sentence cannot come back. A token whose worth is −∞ is never typed.
    """
    here = np.arange(worth.shape[1]) < np.asarray(lengths)[:, None]
    worth = np.where(here, worth, -np.inf)
    order = np.argsort(-worth, axis=1, kind="stable")
    known = np.where(here[..., None], costs, 0.0).clip(0.0)
    left_out = np.where(worth == np.inf, np.inf, known[..., DROPPED])
    return Ranked(
        np.take_along_axis(left_out, order, axis=1),
        np.take_along_axis(known[..., KEPT], order, axis=1),
        (worth > -np.inf).sum(axis=1),
    )


def steps_around(ranked: Ranked, counts: Counts, sharpness: float = SHARPNESS) -> Steps:
    """The steps from one keyword below these counts (rows,) to one above them.

    What a step adds is how much likelier the sentence comes back; where the second adds more than
    the first, both are worth their mean: one alone is wasted.
    """
    counts, rows = np.minimum(counts, ranked.can), np.arange(len(counts))
    nothing = np.zeros((len(counts), 1))
    before = np.concatenate([nothing, ranked.typed.cumsum(axis=1)], axis=1)
    behind = np.concatenate([ranked.left_out[:, ::-1].cumsum(axis=1)[:, ::-1], nothing], axis=1)
    chance = np.exp(-sharpness * (before + behind))  # with so many keywords: (rows, time + 1)
    fewest, most = np.maximum(counts - 1, 0), np.minimum(counts + 1, ranked.can)
    first = np.where(fewest < counts, chance[rows, counts] - chance[rows, fewest], np.nan)
    second = np.where(counts < most, chance[rows, most] - chance[rows, counts], np.nan)
    both = np.where(second > first, (first + second) / 2, np.nan)
    gains = np.stack([first, second], axis=1)
    return Steps(fewest, np.where(np.isnan(both)[:, None], gains, both[:, None]))


def bar_for(steps: Steps, typed: float) -> float:
    """The bar above which so many tokens are typed in all, as nearly as there are steps.

    It is never below 0: a word that does harm is not typed.
    """
    falling = np.sort(steps.gains[~np.isnan(steps.gains)])[::-1]
    above = max(0, round(typed - steps.fewest.sum()))
    return max(0.0, float(falling[above])) if above < len(falling) else 0.0
