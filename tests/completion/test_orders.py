"""Arranging, against every arrangement written down; what one costs is made up."""

import itertools
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from time import process_time

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tersely.completion.orders import BEST, MOST_AT_ONCE, arrange
from tersely.completion.query import Block, Typed, read_typed

Losses = Callable[[Sequence[Typed]], np.ndarray]


def made_up(seed: int) -> Losses:
    """A loss for each arrangement, as good as drawn; no two are alike."""

    def loss(one: Typed) -> float:
        return zlib.crc32(f"{seed} {one.tokens} {one.glued}".encode()) / 2**32

    return lambda rows: np.array([loss(one) for one in rows])


def out_of_place(wanted: Sequence[str]) -> Losses:
    """How many pairs of words stand in another order than wanted."""

    def loss(one: Typed) -> float:
        places = [wanted.index(token) for token in one.tokens]
        return float(sum(a > b for a, b in itertools.combinations(places, 2)))

    return lambda rows: np.array([loss(one) for one in rows])


def is_inside(part: Sequence[Block], whole: Sequence[Block]) -> bool:
    rest = iter(whole)
    return all(block in rest for block in part)


def by_hand(typed: Typed, loose: Sequence[Block], *, free: bool, losses: Losses) -> list[Typed]:
    """Write down every order of the blocks; keep those that may be meant; the best come first."""
    blocks = typed.blocks()
    ending = [blocks.pop()] if typed.ends else []
    every = {
        Typed.of_blocks([*order, *ending], ends=typed.ends)
        for order in itertools.permutations([*blocks, *loose])
        if free or is_inside(blocks, order)
    }
    return sorted(every, key=lambda one: losses([one])[0])


blocks = st.sampled_from([("a",), ("b",), ("a", "b"), ("<shift>", "c"), ("d",)])
seeds = st.integers(0, 10_000)


@settings(max_examples=300)
@given(seeds, st.lists(blocks, max_size=4), st.lists(blocks, max_size=2), st.booleans())
@example(1, [("a",), ("b",)], [("a",)], True)
@example(1, [("a",), ("b",)], [("a",)], False)
def test_of_few_arrangements_the_best_of_all_are_found(
    seed: int, own: list[Block], loose: list[Block], ends: bool
) -> None:
    typed = Typed.of_blocks([*own, ("?",)] if ends else own, ends=ends)
    for free in (True, False):
        every = by_hand(typed, loose, free=free, losses=made_up(seed))
        found = arrange(typed, loose, free=free, losses=made_up(seed))
        if len(every) <= MOST_AT_ONCE:
            assert found == every[:BEST]
        else:
            assert set(found) <= set(every)


@pytest.mark.parametrize("count", [5, 7, 20])
def test_repeated_words_do_not_hide_other_orders(count: int) -> None:
    """Of 20 words that are all the same but one there are 21! orders, of which 21 differ."""
    typed = Typed.of_blocks([("late",), *[("very",)] * count])
    losses = out_of_place(["very", "late"])
    assert arrange(typed, [], free=True, losses=losses)[0].tokens == ("very",) * count + ("late",)


@settings(max_examples=200)
@given(
    seeds,
    st.lists(blocks, min_size=5, max_size=40),
    st.lists(blocks, max_size=3),
    st.booleans(),
    st.booleans(),
)
def test_words_keep_their_order_phrases_stay_together_and_the_ending_stays_last(
    seed: int, own: list[Block], loose: list[Block], ends: bool, free: bool
) -> None:
    typed = Typed.of_blocks([*own, ("?",)] if ends else own, ends=ends)
    for one in arrange(typed, loose, free=free, losses=made_up(seed)):
        kept = one.blocks()
        assert one.ends == ends
        if ends:
            assert kept.pop() == ("?",)
        assert Counter(kept) == Counter([*own, *loose])
        assert free or is_inside(own, kept)


@settings(max_examples=200)
@given(seeds, st.integers(5, 40), st.integers(0, 3), st.booleans())
def test_climbing_never_returns_a_worse_one_than_the_start(
    seed: int, words: int, more: int, free: bool
) -> None:
    typed = Typed.of_blocks([(f"w{number}",) for number in range(words)])
    loose = [(f"x{number}",) for number in range(more)]
    losses = made_up(seed)
    found = arrange(typed, loose, free=free, losses=losses)
    start = Typed.of_blocks([*typed.blocks(), *loose])
    costs = losses(found)
    assert costs[0] <= losses([start])[0]
    assert costs.tolist() == sorted(costs)
    assert 1 <= len(found) <= BEST
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("words", [5, 6, 7, 12])
def test_climbing_brings_a_word_that_is_out_of_place_home(words: int) -> None:
    wanted = [f"w{number}" for number in range(words)]
    for place in range(words - 1):
        mixed = [*wanted[:place], wanted[place + 1], wanted[place], *wanted[place + 2 :]]
        typed = Typed.of_blocks([(word,) for word in mixed])
        best = arrange(typed, [], free=True, losses=out_of_place(wanted))[0]
        assert list(best.tokens) == wanted


def test_a_word_that_must_appear_finds_its_place_among_many() -> None:
    wanted = [f"w{number}" for number in range(30)]
    typed = Typed.of_blocks([(word,) for word in wanted if word != "w25"])
    best = arrange(typed, [("w25",)], free=False, losses=out_of_place(wanted))[0]
    assert list(best.tokens) == wanted


def test_where_the_moving_word_is_typed_too_the_typed_one_keeps_its_order() -> None:
    """Of 30 keywords that begin with "the", and "the" once more: the first stays the first."""
    own = [("the",), *((f"w{number}",) for number in range(29))]
    for seed in range(20):
        typed = Typed.of_blocks(own)
        for one in arrange(typed, [("the",)], free=False, losses=made_up(seed)):
            assert is_inside(own, one.blocks())


def test_nothing_to_arrange_is_arranged_one_way() -> None:
    nothing, ending = read_typed(""), read_typed("?")
    for free in (True, False):
        assert arrange(nothing, [], free=free, losses=made_up(1)) == [nothing]
        assert arrange(ending, [], free=free, losses=made_up(1)) == [ending]


def test_what_could_not_be_weighed_any_more_is_not_returned_unless_nothing_was() -> None:
    typed = read_typed("a b c")

    def late_after(count: int) -> Losses:
        weighed = 0

        def losses(rows: Sequence[Typed]) -> np.ndarray:
            nonlocal weighed
            costs = [
                weighed + place if weighed + place < count else np.inf for place in range(len(rows))
            ]
            weighed += len(rows)
            return np.array(costs, float)

        return losses

    assert len(arrange(typed, [], free=True, losses=late_after(2))) == 2
    assert arrange(typed, [], free=True, losses=late_after(0)) == [typed]
    many = Typed.of_blocks([(f"w{number}",) for number in range(30)])
    assert arrange(many, [], free=True, losses=late_after(0)) == [many]


@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize("word", ["w{}", "the"])
def test_very_many_words_are_arranged_too(word: str, free: bool) -> None:
    typed = Typed.of_blocks([(word.format(number),) for number in range(500)])
    loose = [(word.format(number),) for number in range(2000)]
    began = process_time()
    found = arrange(typed, loose, free=free, losses=lambda rows: np.zeros(len(rows)))
    assert process_time() - began < 30
    assert len(found[0].tokens) == 2500
