"""Search over a made-up language: small enough that every sentence can be written down."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tersely.decoding import beam as search
from tersely.decoding.beam import Beam, beam_search
from tersely.decoding.constraints import Wanted
from tersely.decoding.step import Found
from tersely.text.vocabulary import BOS_ID, EOS_ID, PAD_ID, SHIFT_ID, UNK_ID
from tests.runtime.all_scores import AllScores

WIDTH = 7  # ids there are: the special ones, of which 4 may be said, and two words
WORDS = (4, 5, 6)
EVERYTHING = Beam(width=100, count=10, max_tokens=4, spare_tokens=0)


class Prefixes:
    """What each row has said so far, behind a mark of its own."""

    def __init__(self, rows: Sequence[tuple[int, ...]]) -> None:
        self.rows = list(rows)

    def take(self, rows: np.ndarray) -> "Prefixes":
        return Prefixes([self.rows[row] for row in rows])


class Language:
    """Draws the log-probabilities of the next word from what was said before."""

    def __init__(self, seed: int = 1, ids: int = WIDTH) -> None:
        self.seed, self.ids, self.steps = seed, ids, 0

    def begin(self, rows: int) -> Prefixes:
        return Prefixes([(row,) for row in range(rows)])

    def next_words(self, prefix: tuple[int, ...]) -> np.ndarray:
        scores = np.random.default_rng((self.seed, *prefix)).normal(scale=2.0, size=self.ids)
        return (scores - np.log(np.exp(scores).sum())).astype(np.float32)

    def step(self, state: Prefixes, last: np.ndarray) -> tuple[Prefixes, AllScores]:
        self.steps += 1
        said = [(*row, int(word)) for row, word in zip(state.rows, last, strict=True)]
        return Prefixes(said), AllScores(np.stack([self.next_words(row) for row in said]))

    def log_probability(self, row: int, ids: Sequence[int]) -> float:
        said, total = (row, BOS_ID), 0.0
        for word in (*ids, EOS_ID):
            total += float(self.next_words(said)[word])
            said = (*said, word)
        return total


def search_for(
    step: Any,
    state: Any,
    keywords: Sequence[Sequence[int]],
    beam: Beam,
    glued: Sequence[Sequence[bool]] | None = None,
    **more: Any,
) -> list[list[Found]]:
    together = glued or [()] * len(keywords)
    wanted = [Wanted(row, own) for row, own in zip(keywords, together, strict=True)]
    return beam_search(step, state, wanted, beam, **more)


def contains(sentence: Sequence[int], keywords: Sequence[int]) -> bool:
    rest = iter(sentence)
    return all(word in rest for word in keywords)


def by_hand(
    language: Language, row: int, keywords: Sequence[int], *, max_tokens: int, count: int
) -> list[Found]:
    """Write down every sentence that contains the keywords; the likeliest come first."""
    every = [
        Found(ids, language.log_probability(row, ids))
        for length in range(max_tokens + 1)
        for ids in itertools.product(WORDS, repeat=length)
        if contains(ids, keywords)
    ]
    return sorted(every, key=lambda found: -found.log_probability)[:count]


def assert_same(ours: list[Found], theirs: list[Found]) -> None:
    assert [found.ids for found in ours] == [found.ids for found in theirs]
    assert [found.log_probability for found in ours] == pytest.approx(
        [found.log_probability for found in theirs], abs=1e-5
    )


@pytest.mark.parametrize("seed", range(8))
def test_a_beam_wide_enough_finds_the_likeliest_sentences(seed: int) -> None:
    language = Language(seed)
    keywords = [[], [5], [6, 5], [4, 4, 6], [5, 6, 5, 4]]
    found = search_for(language.step, language.begin(len(keywords)), keywords, EVERYTHING)
    for row, (ours, wanted) in enumerate(zip(found, keywords, strict=True)):
        assert_same(ours, by_hand(language, row, wanted, max_tokens=4, count=10))


@pytest.mark.parametrize("seed", range(8))
def test_without_the_guarantee_keywords_change_nothing(seed: int) -> None:
    language = Language(seed)
    beam = replace(EVERYTHING, guarantee=False)
    found = search_for(language.step, language.begin(1), [[5, 6, 5]], beam)
    assert_same(found[0], by_hand(language, 0, [], max_tokens=4, count=10))


def narrow_by_hand(language: Language, width: int, max_tokens: int) -> list[Found]:
    """One step after the other, all candidates written down; no keywords."""
    live, ended = [((), 0.0)], []
    for spent in range(max_tokens + 1):
        candidates = [
            ((*ids, word), score + float(language.next_words((0, BOS_ID, *ids))[word]))
            for ids, score in live
            for word in ((EOS_ID,) if spent == max_tokens else (EOS_ID, *WORDS))
        ]
        live = []
        for ids, score in sorted(candidates, key=lambda one: -one[1]):
            if len(live) == width:
                break
            if ids[-1] == EOS_ID:
                ended.append(Found(ids[:-1], score))
            else:
                live.append((ids, score))
    return sorted(ended, key=lambda found: -found.log_probability)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_a_sentence_that_ends_does_not_narrow_the_beam(width: int) -> None:
    for seed in range(20):
        language = Language(seed)
        beam = Beam(width=width, count=3, max_tokens=6, spare_tokens=0)
        [found] = search_for(language.step, language.begin(1), [[]], beam)
        assert_same(found, narrow_by_hand(language, width, max_tokens=6)[:3])


keyword_rows = st.lists(st.lists(st.integers(4, 8), max_size=6), min_size=1, max_size=3)


@settings(max_examples=500)
@given(
    seed=st.integers(0, 1000),
    keywords=keyword_rows,
    width=st.integers(1, 5),
    spare=st.integers(0, 4),
)
def test_every_sentence_contains_the_keywords_in_order(
    seed: int, keywords: list[list[int]], width: int, spare: int
) -> None:
    language = Language(seed, ids=9)
    beam = Beam(width=width, count=3, max_tokens=2, spare_tokens=spare)
    found = search_for(language.step, language.begin(len(keywords)), keywords, beam)
    for row, (sentences, wanted) in enumerate(zip(found, keywords, strict=True)):
        assert 1 <= len(sentences) <= 3
        assert len({one.ids for one in sentences}) == len(sentences)
        chances = [one.log_probability for one in sentences]
        assert chances == sorted(chances, reverse=True)
        for one in sentences:
            assert contains(one.ids, wanted)
            assert len(one.ids) <= max(2, len(wanted) + spare)
            assert not {PAD_ID, UNK_ID, BOS_ID, EOS_ID} & set(one.ids)
            expected = language.log_probability(row, one.ids)
            assert one.log_probability == pytest.approx(expected, abs=1e-4)


def test_with_no_room_to_spare_the_keywords_are_the_sentence() -> None:
    language = Language()
    for max_tokens in (0, 3, 4):  # the guarantee goes before the limit
        beam = Beam(width=5, count=3, max_tokens=max_tokens, spare_tokens=0)
        found = search_for(language.step, language.begin(1), [[5, 6, 6, 4]], beam)
        assert [one.ids for one in found[0]] == [(5, 6, 6, 4)]


def test_a_row_is_searched_alike_in_any_company() -> None:
    language = Language()
    keywords = [[5], [6, 6, 6, 6, 6, 6, 6], [], [4, 5]]
    beam = Beam(width=3, count=3, max_tokens=3, spare_tokens=2)
    together = search_for(language.step, language.begin(4), keywords, beam)
    for row, wanted in enumerate(keywords):
        alone = search_for(language.step, Prefixes([(row,)]), [wanted], beam)
        assert alone == [together[row]]


def test_what_is_barred_never_comes() -> None:
    for seed in range(20):
        language = Language(seed)
        beam = replace(EVERYTHING, max_tokens=3, barred=(PAD_ID, UNK_ID, BOS_ID, 4, 6))
        found = search_for(language.step, language.begin(1), [[5]], beam)
        assert {one.ids for one in found[0]} == {(5,), (5, 5), (5, 5, 5)}


def test_what_cannot_be_said_is_not_said_even_for_want_of_others() -> None:
    def step(state: Prefixes, last: np.ndarray) -> tuple[Prefixes, AllScores]:
        state, coming = Language().step(state, last)
        coming.scores[:, 6] = -np.inf
        return state, coming

    found = search_for(step, Language().begin(1), [[]], replace(EVERYTHING, max_tokens=2))
    assert {one.ids for one in found[0]} == {
        ids for length in range(3) for ids in itertools.product((4, 5), repeat=length)
    }


@pytest.mark.parametrize("seed", range(5))
def test_of_sentences_that_differ_in_silent_words_alone_the_best_is_found(seed: int) -> None:
    language, silent = Language(seed), frozenset({4, 6})
    beam = replace(EVERYTHING, silent=silent, count=3, alike=100)
    [found] = search_for(language.step, language.begin(1), [[5]], beam)
    best: dict[tuple[int, ...], Found] = {}
    for one in by_hand(language, 0, [5], max_tokens=4, count=1000):
        best.setdefault(tuple(word for word in one.ids if word not in silent), one)
    assert_same(found, list(best.values())[:3])


@pytest.mark.parametrize("width", [1, 2, 5])
def test_stopping_early_loses_nothing(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    keywords = [[], [5], [6, 4], [5, 5, 5]]
    beam = Beam(width=width, count=2, max_tokens=12)

    def run(seed: int) -> tuple[list[list[Found]], int]:
        language = Language(seed)
        found = search_for(language.step, language.begin(4), keywords, beam)
        return found, language.steps

    early = [run(seed) for seed in range(10)]
    monkeypatch.setattr(search._Hunt, "_can_win", lambda _, live: live.sentence >= 0)
    late = [run(seed) for seed in range(10)]
    for (ours, _), (theirs, steps) in zip(early, late, strict=True):
        assert steps == 13
        # Ties aside there is one answer; a sentence found late is never among the best.
        assert ours == theirs
    if width > 1:
        assert sum(steps for _, steps in early) < sum(steps for _, steps in late)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_glued_stays_together_and_all_else_is_as_likely_as_before(seed: int) -> None:
    language, glued = Language(seed), [False, True, False]
    [found] = search_for(language.step, language.begin(1), [[5, 6]], EVERYTHING, [glued])
    every = by_hand(language, 0, [5, 6], max_tokens=4, count=1000)
    # The first 5 is the keyword, so 6 must follow it, but for a case mark (4).
    kept = [one for one in every if rest_after(one.ids, 5)[:1] in ((6,),) or capital(one.ids)]
    assert_same(found, kept[: EVERYTHING.count])


def rest_after(ids: tuple[int, ...], word: int) -> tuple[int, ...]:
    return ids[ids.index(word) + 1 :]


def capital(ids: tuple[int, ...]) -> bool:
    return rest_after(ids, 5)[:2] == (SHIFT_ID, 6)


@pytest.mark.parametrize("seed", range(4))
def test_where_the_end_is_glued_nothing_follows_the_last_keyword(seed: int) -> None:
    language = Language(seed)
    [found] = search_for(language.step, language.begin(1), [[6]], EVERYTHING, [[False, True]])
    every = by_hand(language, 0, [6], max_tokens=4, count=1000)
    assert_same(found, [one for one in every if one.ids.index(6) == len(one.ids) - 1][:10])


def test_hypotheses_that_sound_alike_leave_room_for_others() -> None:
    """Here 4 and 6 are silent, and so likely that without a limit they fill the beam."""

    class Murmuring(Language):
        def next_words(self, prefix: tuple[int, ...]) -> np.ndarray:
            return np.log(np.array([1e-9, 1e-9, 1e-9, 0.1, 0.4, 0.09, 0.41], np.float32))

    def heard(alike: int) -> set[tuple[int, ...]]:
        language, silent = Murmuring(), frozenset({4, 6})
        beam = Beam(width=2, count=3, max_tokens=3, spare_tokens=0, silent=silent, alike=alike)
        [found] = search_for(language.step, language.begin(1), [[]], beam)
        return {tuple(word for word in one.ids if word not in silent) for one in found}

    assert heard(100) == {()}
    assert (5,) in heard(1)


def test_a_sentence_may_go_on_from_another_word() -> None:
    language = Language(3)
    state, last = Prefixes([(0, BOS_ID)]), np.array([5])
    [found] = search_for(language.step, state, [[6]], EVERYTHING, last=last)
    best = found[0]
    said = (0, BOS_ID, 5)
    total = 0.0
    for word in (*best.ids, EOS_ID):
        total += float(language.next_words(said)[word])
        said = (*said, word)
    assert best.log_probability == pytest.approx(total, abs=1e-5)
    assert contains(best.ids, [6])


@pytest.mark.parametrize("steps", range(6))
def test_when_it_gets_late_the_best_so_far_is_returned_with_all_keywords(steps: int) -> None:
    language = Language(1)
    keywords = [[5, 6, 5], [4], []]
    beam = Beam(width=3, count=3, max_tokens=8)
    found = search_for(
        language.step, language.begin(3), keywords, beam, is_late=lambda: language.steps >= steps
    )
    assert language.steps <= steps
    for sentences, wanted in zip(found, keywords, strict=True):
        assert sentences
        assert all(contains(one.ids, wanted) for one in sentences)
    everything = search_for(language.step, language.begin(3), keywords, beam)
    if steps == 0:
        assert [row[0] for row in found] == [Found(tuple(row), -np.inf) for row in keywords]
        assert found != everything


@pytest.mark.parametrize("seed", range(8))
def test_a_keyword_that_asks_for_a_capital_gets_one(seed: int) -> None:
    language = Language(seed)
    wanted = [Wanted([5, 6], capital=[False, True]), Wanted([6], capital=[True])]
    found = beam_search(language.step, language.begin(2), wanted, EVERYTHING)
    for row, (sentences, one) in enumerate(zip(found, wanted, strict=True)):
        marked = [
            mark
            for word, needs in zip(one.keywords, one.capital, strict=True)
            for mark in ([SHIFT_ID, word] if needs else [word])
        ]
        assert sentences
        for sentence in sentences:
            assert holds_together(sentence.ids, marked)
        best = language.log_probability(row, sentences[0].ids)
        assert sentences[0].log_probability == pytest.approx(best, abs=1e-5)


def holds_together(ids: Sequence[int], marked: Sequence[int]) -> bool:
    """Whether the keywords come in order, each mark directly before its word."""
    text = " ".join(map(str, ids))
    pattern = ".*".join(str(word) + (" " if word == SHIFT_ID else "") for word in marked)
    return re.search(pattern.replace(f"{SHIFT_ID} .*", f"{SHIFT_ID} "), text) is not None


def test_a_capital_is_put_in_even_when_it_gets_late_or_long() -> None:
    language = Language(2)
    wanted = [Wanted([6, 6, 6], capital=[True, True, True])]
    short = Beam(width=2, count=2, max_tokens=1, spare_tokens=0)
    [found] = beam_search(language.step, language.begin(1), wanted, short)
    assert {one.ids for one in found} == {(SHIFT_ID, 6) * 3}
    [late] = beam_search(language.step, language.begin(1), wanted, short, is_late=lambda: True)
    assert late == [Found((SHIFT_ID, 6) * 3, -np.inf)]


def test_what_must_come_comes_though_it_is_barred() -> None:
    language = Language(3)
    beam = Beam(width=3, count=1, max_tokens=4, spare_tokens=0, barred=(PAD_ID, UNK_ID, BOS_ID, 5))
    [[found]] = search_for(language.step, language.begin(1), [[5, 6]], beam)
    assert contains(found.ids, [5, 6])
    assert found.ids.count(5) == 1
