"""Budget: how many tokens of each sentence are typed.

A budget is the mean share of tokens to type. An even allocation types that share of every sentence,
to the nearest token. With a threshold, a sentence gets one keyword more or fewer than that: an
extra keyword is typed if it raises the probability of recovering the sentence by more than the
threshold. The probability follows from the encoder's losses of the tokens, omitted and typed;
thresholds are fitted on held-out sentences so that the mean share is the budget.

What is typed rises in steps, because a sentence of n tokens gets one more keyword wherever
budget × n passes a half. A model therefore stores a table of budgets and measured typed fractions.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.errors import TerselyError, UsageError
from tersely.model.budget_features import keyword_counts
from tersely.text.tokens import SHIFT

Floats = npt.NDArray[np.floating]
Counts = npt.NDArray[np.int64]

DROPPED, KEPT = 0, 1
DEFAULT_SHARPNESS = 0.3
"""p(recovered) = e^(−sharpness × nats). A sharpness of 1 gives the probability of the sentence; 0.3
approximates the probability that it is among the first few suggestions."""
MIN_TRAINED_BUDGET, MAX_TRAINED_BUDGET = 0.05, 0.9  # what models are trained for
MAX_STEP_TOKENS = 16  # one keyword of a longer sentence hardly changes its typed fraction
SHARE_TOLERANCE = 0.005


@dataclass(frozen=True, slots=True)
class Allocation:
    """A share of the tokens: of every sentence, or with a threshold, on average."""

    share: float
    threshold: float | None = None
    """What one more keyword must add to the probability of recovering the sentence."""
    sharpness: float = DEFAULT_SHARPNESS
    """The sharpness with which the threshold was fitted."""

    def counts(self, values: Floats, token_losses: Floats, lengths: npt.ArrayLike) -> Counts:
        """Return how many tokens of each sentence are typed: (rows,); see `sort_by_value`.

        Fewer are typed where a sentence has fewer tokens that can be typed.
        """
        even = keyword_counts(self.share, lengths)
        if self.threshold is None:
            return even
        gains = marginal_gains(sort_by_value(values, token_losses, lengths), even, self.sharpness)
        return gains.counts_above(self.threshold)


@dataclass(frozen=True, slots=True)
class MarginalGains:
    """The fewest keywords of each sentence, and what each further one adds to p(recovered)."""

    min_counts: Counts  # (rows,)
    gains: Floats  # (rows, 2); NaN where there is no further keyword

    def counts_above(self, threshold: npt.ArrayLike) -> Counts:
        """Return the keyword counts if all gains above a threshold are taken: (rows,).

        The threshold is a number, or one per row.
        """
        is_above = self.gains > np.asarray(threshold)[..., None]
        counts: Counts = self.min_counts + is_above.sum(axis=1)
        return counts


@dataclass(frozen=True, slots=True)
class RankedLosses:
    """Losses of tokens in nats, the most valuable token first."""

    dropped: Floats  # (rows, time)
    kept: Floats  # (rows, time)
    n_typable: Counts  # (rows,)


def sort_by_value(values: Floats, token_losses: Floats, lengths: npt.ArrayLike) -> RankedLosses:
    """Order the losses (rows, time, 2), dropped and kept, by token value (rows, time).

    A value of ∞ marks a word that can only be copied: the sentence cannot be recovered until all
    of these are typed. A token of value −∞ is never typed.
    """
    is_inside = np.arange(values.shape[1]) < np.asarray(lengths)[:, None]
    values = np.where(is_inside, values, -np.inf)
    order = np.argsort(-values, axis=1, kind="stable")
    bounded = np.where(is_inside[..., None], token_losses, 0.0).clip(0.0)
    dropped = np.where(values == np.inf, np.inf, bounded[..., DROPPED])
    return RankedLosses(
        np.take_along_axis(dropped, order, axis=1),
        np.take_along_axis(bounded[..., KEPT], order, axis=1),
        (values > -np.inf).sum(axis=1),
    )


def marginal_gains(
    ranked: RankedLosses, counts: Counts, sharpness: float = DEFAULT_SHARPNESS
) -> MarginalGains:
    """Return the gains from one keyword below these counts (rows,) to one above them.

    Where the second gain exceeds the first, both are set to their mean, since the first keyword
    is of little use without the second.
    """
    counts, rows = np.minimum(counts, ranked.n_typable), np.arange(len(counts))
    zeros = np.zeros((len(counts), 1))
    kept = np.concatenate([zeros, ranked.kept.cumsum(axis=1)], axis=1)
    dropped = np.concatenate([ranked.dropped[:, ::-1].cumsum(axis=1)[:, ::-1], zeros], axis=1)
    recovered = np.exp(-sharpness * (kept + dropped))  # by number of keywords: (rows, time + 1)
    lowest, highest = np.maximum(counts - 1, 0), np.minimum(counts + 1, ranked.n_typable)
    first = np.where(lowest < counts, recovered[rows, counts] - recovered[rows, lowest], np.nan)
    second = np.where(counts < highest, recovered[rows, highest] - recovered[rows, counts], np.nan)
    mean = np.where(second > first, (first + second) / 2, np.nan)
    gains = np.stack([first, second], axis=1)
    return MarginalGains(lowest, np.where(np.isnan(mean)[:, None], gains, mean[:, None]))


def threshold_for(gains: MarginalGains, n_typed: float) -> float:
    """Return the threshold above which `n_typed` tokens are typed in all, as nearly as possible.

    It is at least 0: a keyword that lowers the probability is not typed.
    """
    falling = np.sort(gains.gains[~np.isnan(gains.gains)])[::-1]
    n_above = max(0, round(n_typed - gains.min_counts.sum()))
    return max(0.0, float(falling[n_above])) if n_above < len(falling) else 0.0


@dataclass(frozen=True, slots=True)
class BudgetTable:
    """Rising budgets, and the fraction of held-out tokens that is typed at each."""

    budgets: tuple[float, ...]
    typed_fractions: tuple[float, ...]
    thresholds: tuple[float | None, ...] = ()
    sharpness: float = DEFAULT_SHARPNESS

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "BudgetTable":
        """Read the table from a model's settings, which are untrusted."""
        rows = settings.get("budgets")
        if not isinstance(rows, list) or len(rows) < 2 or not all(map(_is_row, rows)):
            raise TerselyError(
                "config.json: budgets must be a list of at least two rows; each has a budget in "
                "(0, 1], a typed_fraction in [0, 1] and optionally a bar in [0, 1]."
            )
        table = cls(
            tuple(float(row["budget"]) for row in rows),
            tuple(float(row["typed_fraction"]) for row in rows),
            tuple(row.get("bar") for row in rows),
            _read_sharpness(settings.get("encoder")),
        )
        if list(table.budgets) != sorted(set(table.budgets)):
            raise TerselyError("config.json: budgets must rise from row to row.")
        return table

    def allocation_for(self, typed_fraction: float) -> Allocation:
        """Return the allocation that types this fraction: the nearest row's, or an even one."""
        nearest = int(np.abs(np.asarray(self.typed_fractions) - typed_fraction).argmin())
        threshold = self.thresholds[nearest] if self.thresholds else None
        if threshold is None:
            return Allocation(self.budget_for(typed_fraction))
        return Allocation(self.budgets[nearest], threshold, self.sharpness)

    def budget_for(self, typed_fraction: float) -> float:
        """Return the budget at which this fraction is typed; beyond the ends, the nearest one."""
        rising = np.maximum.accumulate(self.typed_fractions)  # removes noise of the measurement
        nearest = int(np.abs(rising - typed_fraction).argmin())
        if abs(rising[nearest] - typed_fraction) < SHARE_TOLERANCE:
            return self.budgets[nearest]
        return float(np.interp(typed_fraction, rising, self.budgets))


def refine_budget_rows(
    rows: Iterable[Mapping[str, float]],
    sentences: Sequence[Sequence[str]],
    *,
    types_shift: bool = False,
) -> list[dict[str, float]]:
    """Add a row wherever the keyword count of a sentence changes; measure all typed fractions.

    The fractions are measured on these sentences.
    """
    lengths = np.array([len(tokens) for tokens in sentences], np.int64)
    n_shifts = np.array([list(tokens).count(SHIFT) for tokens in sentences], np.int64)
    n_typable = lengths if types_shift else lengths - n_shifts
    row_of = {float(row["budget"]): dict(row) for row in rows}
    budgets = sorted({*row_of, *(round(budget, 6) for budget in _budgets_between_steps())})
    return [
        {
            "budget": budget,
            **row_of.get(budget, {}),
            "typed_fraction": _typed_fraction(budget, lengths, n_typable),
        }
        for budget in budgets
    ]


def check_budget(budget: float | None) -> None:
    """Raise UsageError unless a budget is a share of the tokens, or None."""
    if budget is not None and not 0 < budget <= 1:
        raise UsageError(
            f"The budget must be a share of the tokens, above 0 and at most 1; got {budget}."
        )


def _budgets_between_steps() -> list[float]:
    """Return a budget from each interval in which no sentence's keyword count changes.

    A sentence gets its keyword number n at the budget (n − 0.5) / tokens.
    """
    steps = {
        (count - 0.5) / tokens
        for tokens in range(1, MAX_STEP_TOKENS + 1)
        for count in range(1, tokens + 1)
        if MIN_TRAINED_BUDGET <= (count - 0.5) / tokens <= MAX_TRAINED_BUDGET
    }
    return [(low + high) / 2 for low, high in pairwise(sorted(steps))]


def _typed_fraction(budget: float, lengths: Counts, n_typable: Counts) -> float:
    n_typed = np.minimum(keyword_counts(budget, lengths), n_typable).sum()
    return float(n_typed / max(1, lengths.sum()))


def _read_sharpness(encoder: Any) -> float:
    is_table = isinstance(encoder, Mapping)
    sharpness = encoder.get("sharpness", DEFAULT_SHARPNESS) if is_table else DEFAULT_SHARPNESS
    if type(sharpness) not in (int, float) or not 0 < sharpness <= 100:
        raise TerselyError(f"config.json: encoder.sharpness must be in (0, 100], got {sharpness}.")
    return float(sharpness)


def _is_row(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and _is_share(row.get("budget"), minimum=1e-6)
        and _is_share(row.get("typed_fraction"))
        and (row.get("bar") is None or _is_share(row["bar"]))
    )


def _is_share(value: Any, minimum: float = 0.0) -> bool:
    return type(value) in (int, float) and minimum <= value <= 1
