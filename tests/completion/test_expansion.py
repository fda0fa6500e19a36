"""Expansions: prefix completions, spelling candidates, and orders of keywords.

Orders are compared with an enumeration of all of them; their losses are made up.
"""

import itertools
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from time import process_time

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tersely.completion.expansion import (
    MAX_CANDIDATES_PER_WORD,
    MAX_COMPLETIONS,
    MAX_CORRECTIONS,
    MAX_ENUMERATED_ORDERS,
    MAX_ORDERS,
    MAX_UNKNOWN_WORDS,
    TWO_EDIT_LETTERS,
    WHOLE_WORD_WEIGHT,
    PrefixCompleter,
    SpellingCorrector,
    likeliest_orders,
)
from tersely.completion.query import Query, parse_query
from tersely.text.alignment import Phrase
from tersely.text.tokens import SHIFT
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary

Floats = npt.NDArray[np.float64]
Losses = Callable[[Sequence[Query]], Floats]

PREFIX_WORDS = [
    "the",
    "late",
    ".",
    "last",
    "later",
    "lady",
    "l",
    "?",
    *(f"la{n}" for n in range(20)),
]
PREFIX_COMPLETER = PrefixCompleter(Vocabulary([*SPECIAL_TOKENS, *PREFIX_WORDS]))


def completions(text: str) -> list[tuple[str, bool]]:
    return [
        (" ".join(expansion.query.tokens), expansion.weight == WHOLE_WORD_WEIGHT)
        for expansion in PREFIX_COMPLETER.expand(parse_query(text, prefix=True))
    ]


def test_an_unfinished_word_is_completed_frequent_words_first() -> None:
    assert completions("10 las") == [("10 last", False)]
    assert completions("10 lat") == [("10 late", False), ("10 later", False)]
    assert [text for text, _ in completions("la")][:4] == ["late", "last", "later", "lady"]
    assert len(completions("la")) == MAX_COMPLETIONS


def test_a_prefix_that_is_a_word_may_be_meant_as_typed() -> None:
    assert completions("late") == [("late", True), ("later", False)]


@pytest.mark.parametrize("text", ["", "zyzzyva", "late?", "the 10", "<shi", "<", "Zy"])
def test_a_word_without_completions_stays_as_typed(text: str) -> None:
    [(_, is_whole_word)] = completions(text)
    assert is_whole_word


def test_a_completed_word_keeps_its_capital() -> None:
    assert completions("La")[0] == ("<shift> late", False)


def test_a_completed_phrase_stays_together() -> None:
    [expansion, *_] = PREFIX_COMPLETER.expand(parse_query('"the lad"'))
    assert expansion.query.tokens == ("the", "lady")
    assert expansion.query.adjacent == (False, True, False)


SPELLED_WORDS = [
    "the",
    ".",
    "late",
    "waiter",
    "lake",
    "lace",
    "water",
    "i",
    "10",
    "minutes",
    "lane",
    "OK",
]
SPELLING = SpellingCorrector(Vocabulary([*SPECIAL_TOKENS, *SPELLED_WORDS]))


def corrections(text: str) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    expansions = SPELLING.expand(parse_query(text))
    return [(" ".join(expansion.query.tokens), expansion.corrected) for expansion in expansions]


@pytest.mark.parametrize(
    ("misspelt", "word"),
    [
        ("wiater", "waiter"),  # neighbours swapped
        ("waitr", "waiter"),  # one left out
        ("waiterr", "waiter"),  # one too many
        ("waiten", "waiter"),  # another one
        ("minuets", "minutes"),
    ],
)
def test_one_edit_is_corrected(misspelt: str, word: str) -> None:
    assert SPELLING.candidates(misspelt)[0] == word
    assert corrections(f"the {misspelt} 10")[0] == (f"the {word} 10", ((misspelt, word),))


def test_only_long_words_may_have_two_edits() -> None:
    assert len("mniuets") == TWO_EDIT_LETTERS
    assert SPELLING.candidates("mniuets") == ["minutes"]
    assert SPELLING.candidates("xatx") == []
    assert corrections("xatx") == []


def test_of_the_nearest_candidates_the_more_frequent_come_first() -> None:
    assert SPELLING.candidates("laze") == ["late", "lake", "lace"]
    assert len(SPELLING.candidates("laze")) == MAX_CANDIDATES_PER_WORD  # lane is as near, but rarer
    assert SPELLING.candidates("waaiter") == ["waiter"]  # water has two edits


@pytest.mark.parametrize("token", ["late", "10", "12x", "?", "NAT", "la", SHIFT, "<unk>", "", "🙂"])
def test_known_words_numbers_names_in_capitals_and_marks_are_not_misspelt(token: str) -> None:
    assert not SPELLING.may_be_misspelt(token)


def test_where_nothing_is_misspelt_there_is_no_correction() -> None:
    for text in ("", "the waiter", "10 minutes late?", "NATO", "zyzzyva"):
        assert corrections(text) == []


def test_a_word_without_candidates_stays_as_typed() -> None:
    assert corrections("zyzzyva laet") == [("zyzzyva late", (("laet", "late"),))]


def test_a_correction_keeps_capitals_phrases_and_endings() -> None:
    [expansion, *_] = SPELLING.expand(parse_query('"the Waitr"?'))
    assert expansion.query == parse_query('"the Waiter"?')
    assert expansion.corrected == (("waitr", "waiter"),)


def test_several_misspelt_words_are_corrected_together_the_likeliest_first() -> None:
    found = corrections("laze waitr")
    assert found[0] == ("late waiter", (("laze", "late"), ("waitr", "waiter")))
    assert len(found) == len(set(found)) <= MAX_CORRECTIONS
    assert all(len(pairs) == 2 for _, pairs in found)


def test_a_query_of_many_unknown_words_is_not_corrected() -> None:
    assert corrections("laet " * MAX_UNKNOWN_WORDS)
    assert corrections("laet " * (MAX_UNKNOWN_WORDS + 1)) == []


def test_special_tokens_are_never_candidates() -> None:
    for word in ("unk", "pad", "shift", "shif"):
        assert SPELLING.candidates(word) == []


def random_losses(seed: int) -> Losses:
    """A pseudo-random loss for each order; no two are equal."""

    def loss(query: Query) -> float:
        return zlib.crc32(f"{seed} {query.tokens} {query.adjacent}".encode()) / 2**32

    return lambda rows: np.array([loss(query) for query in rows])


def inversions(target: Sequence[str]) -> Losses:
    """The number of pairs of words that are not in the target order."""

    def loss(query: Query) -> float:
        places = [target.index(token) for token in query.tokens]
        return float(sum(a > b for a, b in itertools.combinations(places, 2)))

    return lambda rows: np.array([loss(query) for query in rows])


def is_inside(part: Sequence[Phrase], whole: Sequence[Phrase]) -> bool:
    rest = iter(whole)
    return all(phrase in rest for phrase in part)


def all_orders(query: Query, extra: Sequence[Phrase], *, free: bool, losses: Losses) -> list[Query]:
    """Enumerate every order of the phrases that is possible, best first."""
    phrases = query.phrases()
    ending = [phrases.pop()] if query.has_ending else []
    every = {
        Query.from_phrases([*order, *ending], has_ending=query.has_ending)
        for order in itertools.permutations([*phrases, *extra])
        if free or is_inside(phrases, order)
    }
    return sorted(every, key=lambda order: losses([order])[0])


phrases = st.sampled_from([("a",), ("b",), ("a", "b"), ("<shift>", "c"), ("d",)])
seeds = st.integers(0, 10_000)


@settings(max_examples=300)
@given(seeds, st.lists(phrases, max_size=4), st.lists(phrases, max_size=2), st.booleans())
@example(1, [("a",), ("b",)], [("a",)], True)
@example(1, [("a",), ("b",)], [("a",)], False)
def test_of_few_orders_the_best_of_all_are_found(
    seed: int, typed: list[Phrase], extra: list[Phrase], ends: bool
) -> None:
    query = Query.from_phrases([*typed, ("?",)] if ends else typed, has_ending=ends)
    for free in (True, False):
        every = all_orders(query, extra, free=free, losses=random_losses(seed))
        found = likeliest_orders(query, extra, free=free, losses=random_losses(seed))
        if len(every) <= MAX_ENUMERATED_ORDERS:
            assert found == every[:MAX_ORDERS]
        else:
            assert set(found) <= set(every)


@pytest.mark.parametrize("count", [5, 7, 20])
def test_repeated_words_do_not_hide_other_orders(count: int) -> None:
    """Of 20 words that are all the same but one there are 21! orders, of which 21 differ."""
    query = Query.from_phrases([("late",), *[("very",)] * count])
    losses = inversions(["very", "late"])
    assert likeliest_orders(query, [], free=True, losses=losses)[0].tokens == ("very",) * count + (
        "late",
    )


@settings(max_examples=200)
@given(
    seeds,
    st.lists(phrases, min_size=5, max_size=40),
    st.lists(phrases, max_size=3),
    st.booleans(),
    st.booleans(),
)
def test_words_keep_their_order_phrases_stay_together_and_the_ending_stays_last(
    seed: int, typed: list[Phrase], extra: list[Phrase], ends: bool, free: bool
) -> None:
    query = Query.from_phrases([*typed, ("?",)] if ends else typed, has_ending=ends)
    for order in likeliest_orders(query, extra, free=free, losses=random_losses(seed)):
        found = order.phrases()
        assert order.has_ending == ends
        if ends:
            assert found.pop() == ("?",)
        assert Counter(found) == Counter([*typed, *extra])
        assert free or is_inside(typed, found)


@settings(max_examples=200)
@given(seeds, st.integers(5, 40), st.integers(0, 3), st.booleans())
def test_climbing_never_returns_a_worse_one_than_the_start(
    seed: int, words: int, more: int, free: bool
) -> None:
    query = Query.from_phrases([(f"w{number}",) for number in range(words)])
    extra = [(f"x{number}",) for number in range(more)]
    losses = random_losses(seed)
    found = likeliest_orders(query, extra, free=free, losses=losses)
    start = Query.from_phrases([*query.phrases(), *extra])
    costs = losses(found)
    assert costs[0] <= losses([start])[0]
    assert costs.tolist() == sorted(costs)
    assert 1 <= len(found) <= MAX_ORDERS
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("words", [5, 6, 7, 12])
def test_climbing_moves_a_misplaced_word_to_its_place(words: int) -> None:
    target = [f"w{number}" for number in range(words)]
    for place in range(words - 1):
        mixed = [*target[:place], target[place + 1], target[place], *target[place + 2 :]]
        query = Query.from_phrases([(word,) for word in mixed])
        best = likeliest_orders(query, [], free=True, losses=inversions(target))[0]
        assert list(best.tokens) == target


def test_a_required_word_finds_its_place_among_many() -> None:
    target = [f"w{number}" for number in range(30)]
    query = Query.from_phrases([(word,) for word in target if word != "w25"])
    best = likeliest_orders(query, [("w25",)], free=False, losses=inversions(target))[0]
    assert list(best.tokens) == target


def test_a_required_word_that_was_typed_too_leaves_the_typed_one_in_its_order() -> None:
    """Of 30 keywords that begin with "the", and "the" once more: the first stays the first."""
    typed = [("the",), *((f"w{number}",) for number in range(29))]
    for seed in range(20):
        query = Query.from_phrases(typed)
        for order in likeliest_orders(query, [("the",)], free=False, losses=random_losses(seed)):
            assert is_inside(typed, order.phrases())


def test_without_keywords_there_is_one_order() -> None:
    nothing, ending = parse_query(""), parse_query("?")
    for free in (True, False):
        assert likeliest_orders(nothing, [], free=free, losses=random_losses(1)) == [nothing]
        assert likeliest_orders(ending, [], free=free, losses=random_losses(1)) == [ending]


def test_an_order_that_was_not_scored_is_returned_only_if_none_was() -> None:
    query = parse_query("a b c")

    def unscored_after(count: int) -> Losses:
        scored = 0

        def losses(rows: Sequence[Query]) -> Floats:
            nonlocal scored
            costs = [
                scored + place if scored + place < count else np.inf for place in range(len(rows))
            ]
            scored += len(rows)
            return np.array(costs, float)

        return losses

    assert len(likeliest_orders(query, [], free=True, losses=unscored_after(2))) == 2
    assert likeliest_orders(query, [], free=True, losses=unscored_after(0)) == [query]
    many = Query.from_phrases([(f"w{number}",) for number in range(30)])
    assert likeliest_orders(many, [], free=True, losses=unscored_after(0)) == [many]


@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize("word", ["w{}", "the"])
def test_thousands_of_words_are_ordered_in_time(word: str, free: bool) -> None:
    query = Query.from_phrases([(word.format(number),) for number in range(500)])
    extra = [(word.format(number),) for number in range(2000)]
    began = process_time()
    found = likeliest_orders(query, extra, free=free, losses=lambda rows: np.zeros(len(rows)))
    assert process_time() - began < 30
    assert len(found[0].tokens) == 2500
