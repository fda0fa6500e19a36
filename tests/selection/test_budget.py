import math
from itertools import product

import numpy as np
import pytest

from tersely.model.budget_features import keywords_at
from tersely.selection.budget import (
    SHARPNESS,
    Spending,
    Steps,
    bar_for,
    even_counts,
    rank,
    steps_around,
)

SHARES = np.linspace(0.01, 0.9, 90)
LENGTHS = np.arange(1, 25)


def some_costs(rows: int = 200, time: int = 12, seed: int = 1) -> tuple[np.ndarray, ...]:
    """Worths, costs and lengths of sentences; some words must be typed, some may not."""
    rng = np.random.default_rng(seed)
    costs = rng.gamma(1.0, 1.5, size=(rows, time, 2))
    costs[..., 1] *= 0.2
    worth = costs[..., 0] - costs[..., 1]
    worth[rng.random(worth.shape) < 0.05] = np.inf
    worth[rng.random(worth.shape) < 0.1] = -np.inf
    return worth, costs, rng.integers(1, time + 1, size=rows)


def chance(worth: np.ndarray, costs: np.ndarray, count: int) -> float:
    """That a sentence comes back with its `count` most worthy tokens typed, word by word."""
    order = sorted(range(len(worth)), key=lambda place: (-worth[place], place))
    nats = 0.0
    for at, place in enumerate(order):
        if at < count:
            nats += max(0.0, costs[place, 1])
        else:
            nats += math.inf if worth[place] == math.inf else max(0.0, costs[place, 0])
    return math.exp(-SHARPNESS * nats)


def test_evenly_it_is_the_share_of_every_sentence() -> None:
    for share in SHARES:
        counts = Spending(float(share)).counts(*some_costs()[:2], some_costs()[2])
        assert counts.tolist() == [keywords_at(share, length) for length in some_costs()[2]]
        assert even_counts(share, LENGTHS).tolist() == [keywords_at(share, n) for n in LENGTHS]


def test_steps_are_what_a_word_adds_to_the_chance() -> None:
    worth, costs, lengths = some_costs()
    ranked = rank(worth, costs, lengths)
    counts = np.minimum(even_counts(0.4, lengths), ranked.can)
    steps = steps_around(ranked, even_counts(0.4, lengths))
    fewest, gains = steps.fewest, steps.gains
    for row, (length, count) in enumerate(zip(lengths, counts, strict=True)):
        own = worth[row, :length], costs[row, :length]
        can = int((own[0] > -np.inf).sum())
        assert ranked.can[row] == can
        assert fewest[row] == max(0, count - 1)
        first = chance(*own, count) - chance(*own, count - 1) if count else math.nan
        second = chance(*own, count + 1) - chance(*own, count) if count < can else math.nan
        if second > first:
            first = second = (first + second) / 2
        assert gains[row] == pytest.approx([first, second], nan_ok=True, abs=1e-12)


def test_freely_a_sentence_gets_a_word_more_or_fewer_and_never_what_can_not_be_typed() -> None:
    worth, costs, lengths = some_costs()
    can = rank(worth, costs, lengths).can
    even = np.minimum(even_counts(0.4, lengths), can)
    for bar in (0.0, 1e-4, 0.01, 0.1, 1.0):
        counts = Spending(0.4, bar).counts(worth, costs, lengths)
        assert (np.abs(counts - even) <= 1).all()
        assert (counts <= can).all()
        assert (counts >= 0).all()
    assert (Spending(0.4, 1.0).counts(worth, costs, lengths) == np.maximum(even - 1, 0)).all()


def test_words_go_where_they_bring_back_most() -> None:
    """Of all ways to spend as many words within one of the share, none has better chances."""
    worth, costs, lengths = some_costs(rows=7, time=6, seed=3)
    ranked = rank(worth, costs, lengths)
    even = np.minimum(even_counts(0.5, lengths), ranked.can)
    bar = bar_for(steps_around(ranked, even), float(even.sum()))
    counts = Spending(0.5, bar).counts(worth, costs, lengths)

    def chances(ways: tuple[int, ...]) -> float:
        return sum(
            chance(worth[row, :length], costs[row, :length], count)
            for row, (length, count) in enumerate(zip(lengths, ways, strict=True))
        )

    ranges = [
        range(max(0, count - 1), min(can, count + 1) + 1)
        for count, can in zip(even, ranked.can, strict=True)
    ]
    best = max(chances(ways) for ways in product(*ranges) if sum(ways) == counts.sum())
    assert chances(tuple(counts)) == pytest.approx(best)
    assert chances(tuple(counts)) > 1.01 * chances(tuple(even))


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.65, 0.75])
def test_the_bar_makes_the_share_what_is_typed(share: float) -> None:
    worth, costs, lengths = some_costs(rows=2000)
    steps = steps_around(rank(worth, costs, lengths), even_counts(share, lengths))
    bar = bar_for(steps, share * lengths.sum())
    typed = Spending(share, bar).counts(worth, costs, lengths).sum() / lengths.sum()
    assert typed == pytest.approx(share, abs=0.003)


def test_more_or_less_than_there_is_takes_all_steps_or_none() -> None:
    worth, costs, lengths = some_costs()
    steps = steps_around(rank(worth, costs, lengths), even_counts(0.2, lengths))
    assert (steps.above(bar_for(steps, 0.0)) == steps.fewest).all()
    assert (steps.gains > bar_for(steps, 1e6)).sum() == (steps.gains > 0).sum()
    nothing = Steps(np.zeros(1, np.int64), np.full((1, 2), np.nan))
    assert bar_for(nothing, 1.0) == 0.0


def test_words_that_do_harm_are_never_typed() -> None:
    """Where typing costs more than it saves no bar lies below 0, whatever is asked for."""
    costs = np.array([[[2.0, 0.1], [0.1, 0.3], [0.1, 0.5]]])
    worth = costs[..., 0] - costs[..., 1]
    steps = steps_around(rank(worth, costs, [3]), np.array([2]))
    assert (steps.gains < 0).all()
    for typed in (0.0, 1.0, 2.0, 3.0):
        bar = bar_for(steps, typed)
        assert bar == 0.0
        assert Spending(0.75, bar).counts(worth, costs, [3]).tolist() == [1]


def test_what_lies_behind_a_sentence_does_not_matter() -> None:
    worth, costs, lengths = some_costs()
    wide = np.pad(worth, ((0, 0), (0, 5)), constant_values=9.0)
    far = np.pad(costs, ((0, 0), (0, 5), (0, 0)), constant_values=9.0)
    for spending in (Spending(0.3), Spending(0.3, 0.01)):
        expected = spending.counts(worth, costs, lengths)
        assert (spending.counts(wide, far, lengths) == expected).all()


def test_a_sharper_eye_spends_on_what_is_nearly_there() -> None:
    """A word that saves three nats where five remain, or one that saves the only nat there is."""
    costs = np.array([[[3.0, 0.0], [5.0, 0.0]], [[1.0, 0.0], [0.0, 0.0]]])
    worth = np.array([[3.0, -np.inf], [1.0, -np.inf]])

    def gains(sharpness: float) -> np.ndarray:
        return steps_around(rank(worth, costs, [2, 2]), np.array([1, 1]), sharpness).gains[:, 0]

    assert gains(0.05)[0] > gains(0.05)[1]
    assert gains(1.0)[0] < gains(1.0)[1]
