"""Beam search against enumeration: every sentence of a made-up language is listed and ranked."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tersely.decoding import beam as search
from tersely.decoding.beam import BeamOptions, FinishedHypotheses, LiveHypotheses, beam_search
from tersely.decoding.constraints import KeywordConstraint
from tersely.decoding.deadline import Deadline
from tersely.decoding.step import Hypothesis
from tersely.runtime.arrays import Floats, Ids
from tersely.runtime.kernels.pruning import Pruned
from tersely.text.vocabulary import BOS_ID, EOS_ID, PAD_ID, SHIFT_ID, UNK_ID
from tests.decoding.language import WORDS, Language, Prefixes
from tests.runtime.dense_next_token import DenseNextTokenDistribution

EVERYTHING = BeamOptions(width=100, n_best=10, max_tokens=4, extra_tokens=0)


def search_keywords(
    language: Language, keywords: Sequence[Sequence[int]], options: BeamOptions
) -> list[list[Hypothesis]]:
    constraints = [KeywordConstraint(row) for row in keywords]
    return beam_search(language.step, language.begin(len(keywords)), constraints, options)


def contains(sentence: Sequence[int], keywords: Sequence[int]) -> bool:
    rest = iter(sentence)
    return all(word in rest for word in keywords)


def enumerate_sentences(
    language: Language, row: int, keywords: Sequence[int], *, max_tokens: int, count: int
) -> list[Hypothesis]:
    """List every sentence that contains the keywords; return the likeliest."""
    hypotheses = [
        Hypothesis(ids, language.sentence_log_prob(row, ids))
        for length in range(max_tokens + 1)
        for ids in itertools.product(WORDS, repeat=length)
        if contains(ids, keywords)
    ]
    return sorted(hypotheses, key=lambda hypothesis: -hypothesis.log_prob)[:count]


def assert_same(ours: list[Hypothesis], theirs: list[Hypothesis]) -> None:
    assert [hypothesis.ids for hypothesis in ours] == [hypothesis.ids for hypothesis in theirs]
    assert [hypothesis.log_prob for hypothesis in ours] == pytest.approx(
        [hypothesis.log_prob for hypothesis in theirs], abs=1e-5
    )


def test_a_beam_wide_enough_returns_the_likeliest_sentences() -> None:
    keywords = [[], [5], [6, 5], [4, 4, 6], [5, 6, 5, 4]]
    for seed in range(8):
        language = Language(seed)
        n_best = search_keywords(language, keywords, EVERYTHING)
        for row, hypotheses in enumerate(n_best):
            expected = enumerate_sentences(language, row, keywords[row], max_tokens=4, count=10)
            assert_same(hypotheses, expected)


def test_keywords_that_are_not_enforced_change_nothing() -> None:
    options = replace(EVERYTHING, enforce_keywords=False)
    for seed in range(8):
        language = Language(seed)
        [hypotheses] = search_keywords(language, [[5, 6, 5]], options)
        assert_same(hypotheses, enumerate_sentences(language, 0, [], max_tokens=4, count=10))


def narrow_beam(language: Language, width: int, max_tokens: int) -> list[Hypothesis]:
    """Search one sentence without keywords, in plain Python."""
    live: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    finished = []
    for length in range(max_tokens + 1):
        candidates = [
            ((*ids, token), score + float(language.next_log_probs((0, BOS_ID, *ids))[token]))
            for ids, score in live
            for token in ((EOS_ID,) if length == max_tokens else (EOS_ID, *WORDS))
        ]
        live = []
        for ids, score in sorted(candidates, key=lambda candidate: -candidate[1]):
            if len(live) == width:
                break
            if ids[-1] == EOS_ID:
                finished.append(Hypothesis(ids[:-1], score))
            else:
                live.append((ids, score))
    return sorted(finished, key=lambda hypothesis: -hypothesis.log_prob)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_a_sentence_that_ends_does_not_narrow_the_beam(width: int) -> None:
    for seed in range(20):
        language = Language(seed)
        options = BeamOptions(width=width, n_best=3, max_tokens=6, extra_tokens=0)
        [hypotheses] = search_keywords(language, [[]], options)
        assert_same(hypotheses, narrow_beam(language, width, max_tokens=6)[:3])


keyword_rows = st.lists(st.lists(st.integers(4, 8), max_size=6), min_size=1, max_size=3)


@settings(max_examples=500)
@given(
    seed=st.integers(0, 1000),
    keywords=keyword_rows,
    width=st.integers(1, 5),
    extra_tokens=st.integers(0, 4),
)
def test_every_sentence_contains_the_keywords_in_order(
    seed: int, keywords: list[list[int]], width: int, extra_tokens: int
) -> None:
    language = Language(seed, ids=9)
    options = BeamOptions(width=width, n_best=3, max_tokens=2, extra_tokens=extra_tokens)
    n_best = search_keywords(language, keywords, options)
    for row, hypotheses in enumerate(n_best):
        assert 1 <= len(hypotheses) <= 3
        assert len({hypothesis.ids for hypothesis in hypotheses}) == len(hypotheses)
        log_probs = [hypothesis.log_prob for hypothesis in hypotheses]
        assert log_probs == sorted(log_probs, reverse=True)
        for hypothesis in hypotheses:
            assert contains(hypothesis.ids, keywords[row])
            assert len(hypothesis.ids) <= max(2, len(keywords[row]) + extra_tokens)
            assert not {PAD_ID, UNK_ID, BOS_ID, EOS_ID} & set(hypothesis.ids)
            expected = language.sentence_log_prob(row, hypothesis.ids)
            assert hypothesis.log_prob == pytest.approx(expected, abs=1e-4)


def test_without_extra_tokens_the_keywords_are_the_sentence() -> None:
    language = Language()
    for max_tokens in (0, 3, 4):  # the keywords take precedence over the limit
        options = BeamOptions(width=5, n_best=3, max_tokens=max_tokens, extra_tokens=0)
        [hypotheses] = search_keywords(language, [[5, 6, 6, 4]], options)
        assert [hypothesis.ids for hypothesis in hypotheses] == [(5, 6, 6, 4)]


def test_a_row_gets_the_same_sentences_in_any_batch() -> None:
    language = Language()
    keywords = [[5], [6, 6, 6, 6, 6, 6, 6], [], [4, 5]]
    options = BeamOptions(width=3, n_best=3, max_tokens=3, extra_tokens=2)
    together = search_keywords(language, keywords, options)
    for row, row_keywords in enumerate(keywords):
        constraints = [KeywordConstraint(row_keywords)]
        alone = beam_search(language.step, Prefixes([(row,)]), constraints, options)
        assert alone == [together[row]]


def test_forbidden_tokens_never_appear() -> None:
    options = replace(EVERYTHING, max_tokens=3, forbidden=(PAD_ID, UNK_ID, BOS_ID, 4, 6))
    for seed in range(20):
        [hypotheses] = search_keywords(Language(seed), [[5]], options)
        assert {hypothesis.ids for hypothesis in hypotheses} == {(5,), (5, 5), (5, 5, 5)}


def test_a_forbidden_keyword_appears_once() -> None:
    forbidden = (PAD_ID, UNK_ID, BOS_ID, 5)
    options = BeamOptions(width=3, n_best=1, max_tokens=4, extra_tokens=0, forbidden=forbidden)
    [[hypothesis]] = search_keywords(Language(3), [[5, 6]], options)
    assert contains(hypothesis.ids, [5, 6])
    assert hypothesis.ids.count(5) == 1


def test_impossible_tokens_never_appear_even_if_there_are_few_others() -> None:
    class Restricted(Language):
        def step(self, state: Prefixes, last: Ids) -> tuple[Prefixes, DenseNextTokenDistribution]:
            state, next_token = super().step(state, last)
            next_token.scores[:, 6] = -np.inf
            return state, next_token

    [hypotheses] = search_keywords(Restricted(), [[]], replace(EVERYTHING, max_tokens=2))
    assert {hypothesis.ids for hypothesis in hypotheses} == {
        ids for length in range(3) for ids in itertools.product((4, 5), repeat=length)
    }


def test_of_sentences_that_differ_in_ignored_tokens_the_best_is_returned() -> None:
    ignored = frozenset({4, 6})
    options = replace(EVERYTHING, ignored=ignored, n_best=3, max_duplicates=100)
    for seed in range(5):
        language = Language(seed)
        [hypotheses] = search_keywords(language, [[5]], options)
        best: dict[tuple[int, ...], Hypothesis] = {}
        for hypothesis in enumerate_sentences(language, 0, [5], max_tokens=4, count=1000):
            key = tuple(token for token in hypothesis.ids if token not in ignored)
            best.setdefault(key, hypothesis)
        assert_same(hypotheses, list(best.values())[:3])


def test_duplicates_leave_room_for_other_hypotheses() -> None:
    """Tokens 4 and 6 are ignored, and so likely that without a limit they fill the beam."""

    class Murmuring(Language):
        def next_log_probs(self, prefix: tuple[int, ...]) -> Floats:
            log_probs: Floats = np.log(
                np.array([1e-9, 1e-9, 1e-9, 0.1, 0.4, 0.09, 0.41], np.float32)
            )
            return log_probs

    def distinct_sentences(max_duplicates: int) -> set[tuple[int, ...]]:
        ignored = frozenset({4, 6})
        options = BeamOptions(
            width=2,
            n_best=3,
            max_tokens=3,
            extra_tokens=0,
            ignored=ignored,
            max_duplicates=max_duplicates,
        )
        [hypotheses] = search_keywords(Murmuring(), [[]], options)
        return {
            tuple(token for token in hypothesis.ids if token not in ignored)
            for hypothesis in hypotheses
        }

    assert distinct_sentences(100) == {()}
    assert (5,) in distinct_sentences(1)


@pytest.mark.parametrize("width", [1, 2, 5])
def test_stopping_early_loses_nothing(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    keywords: list[list[int]] = [[], [5], [6, 4], [5, 5, 5]]
    options = BeamOptions(width=width, n_best=2, max_tokens=12)

    def run(seed: int) -> tuple[list[list[Hypothesis]], int]:
        language = Language(seed)
        return search_keywords(language, keywords, options), language.steps

    early = [run(seed) for seed in range(10)]
    monkeypatch.setattr(search._BeamSearch, "_is_promising", lambda _, live: live.sentence >= 0)
    late = [run(seed) for seed in range(10)]
    for (ours, _), (theirs, steps) in zip(early, late, strict=True):
        assert steps == 13
        # Ties aside the n best are unique; a sentence finished late is never among them.
        assert ours == theirs
    if width > 1:
        assert sum(steps for _, steps in early) < sum(steps for _, steps in late)


def after(ids: tuple[int, ...], token: int) -> tuple[int, ...]:
    return ids[ids.index(token) + 1 :]


def test_an_adjacent_keyword_follows_directly_or_after_a_case_mark() -> None:
    constraint = KeywordConstraint([5, 6], adjacent=[False, True, False])
    for seed in range(4):
        language = Language(seed)
        [hypotheses] = beam_search(language.step, language.begin(1), [constraint], EVERYTHING)
        # The first 5 is the keyword, so 6 must follow it.
        expected = [
            hypothesis
            for hypothesis in enumerate_sentences(language, 0, [5, 6], max_tokens=4, count=1000)
            if after(hypothesis.ids, 5)[:1] == (6,) or after(hypothesis.ids, 5)[:2] == (SHIFT_ID, 6)
        ]
        assert_same(hypotheses, expected[: EVERYTHING.n_best])


def test_nothing_follows_the_last_keyword_if_the_end_is_adjacent() -> None:
    constraint = KeywordConstraint([6], adjacent=[False, True])
    for seed in range(4):
        language = Language(seed)
        [hypotheses] = beam_search(language.step, language.begin(1), [constraint], EVERYTHING)
        expected = [
            hypothesis
            for hypothesis in enumerate_sentences(language, 0, [6], max_tokens=4, count=1000)
            if hypothesis.ids.index(6) == len(hypothesis.ids) - 1
        ]
        assert_same(hypotheses, expected[:10])


def test_a_sentence_may_continue_another_token_than_the_start_mark() -> None:
    language = Language(3)
    state, last = Prefixes([(0, BOS_ID)]), np.array([5])
    constraints = [KeywordConstraint([6])]
    [[best, *_]] = beam_search(language.step, state, constraints, EVERYTHING, last=last)
    assert best.log_prob == pytest.approx(language.log_prob((0, BOS_ID, 5), best.ids), abs=1e-5)
    assert contains(best.ids, [6])


@pytest.mark.parametrize("steps", range(6))
def test_past_the_deadline_the_best_so_far_is_returned_with_all_keywords(steps: int) -> None:
    language = Language(1)
    keywords: list[list[int]] = [[5, 6, 5], [4], []]
    options = BeamOptions(width=3, n_best=3, max_tokens=8)
    n_best = beam_search(
        language.step,
        language.begin(3),
        [KeywordConstraint(row) for row in keywords],
        options,
        deadline=Deadline(is_cancelled=lambda: language.steps >= steps),
    )
    assert language.steps <= steps
    for hypotheses, row in zip(n_best, keywords, strict=True):
        assert hypotheses
        assert all(contains(hypothesis.ids, row) for hypothesis in hypotheses)
    if steps == 0:
        assert n_best == [[Hypothesis(tuple(row), -np.inf)] for row in keywords]
        assert n_best != search_keywords(language, keywords, options)


def test_a_capitalised_keyword_follows_a_case_mark() -> None:
    constraints = [
        KeywordConstraint([5, 6], capitalised=[False, True]),
        KeywordConstraint([6], capitalised=[True]),
    ]
    patterns = [rf"\b5\b.*\b{SHIFT_ID} 6\b", rf"\b{SHIFT_ID} 6\b"]
    for seed in range(8):
        language = Language(seed)
        n_best = beam_search(language.step, language.begin(2), constraints, EVERYTHING)
        for row, (hypotheses, pattern) in enumerate(zip(n_best, patterns, strict=True)):
            assert hypotheses
            for hypothesis in hypotheses:
                assert re.search(pattern, " ".join(map(str, hypothesis.ids)))
            best = hypotheses[0]
            expected = language.sentence_log_prob(row, best.ids)
            assert best.log_prob == pytest.approx(expected, abs=1e-5)


def test_case_marks_are_inserted_even_past_the_deadline_or_the_limit() -> None:
    language = Language(2)
    constraints = [KeywordConstraint([6, 6, 6], capitalised=[True, True, True])]
    options = BeamOptions(width=2, n_best=2, max_tokens=1, extra_tokens=0)
    [hypotheses] = beam_search(language.step, language.begin(1), constraints, options)
    assert {hypothesis.ids for hypothesis in hypotheses} == {(SHIFT_ID, 6) * 3}
    expired = Deadline(is_cancelled=lambda: True)
    [truncated] = beam_search(
        language.step, language.begin(1), constraints, options, deadline=expired
    )
    assert truncated == [Hypothesis((SHIFT_ID, 6) * 3, -np.inf)]


def pruned(sizes: list[int], rows: list[int]) -> Pruned:
    numbers = np.arange(len(rows))
    return Pruned(
        sizes=np.array(sizes),
        row=np.array(rows),
        token=numbers + 10,
        matched=numbers,
        score=-numbers.astype(np.float64),
        dedup_key=numbers.astype(np.uint64),
        ended_row=np.array([], np.int64),
        ended_score=np.array([]),
    )


def test_live_hypotheses_stay_with_their_sentence() -> None:
    live = LiveHypotheses.start(np.array([2, 2, 2])).extended(pruned([2, 0, 1], [0, 0, 2]))
    assert live.sentences.tolist() == [0, 2]
    assert live.sentence.tolist() == [0, 0, 2]
    assert live.groups.sizes.tolist() == [2, 1]
    assert live.last.tolist() == [10, 11, 12]
    last = live.filtered(np.array([False, False, True]))
    assert (last.sentences.tolist(), last.groups.sizes.tolist()) == ([2], [1])
    assert (last.sentence.tolist(), last.last.tolist(), last.score.tolist()) == ([2], [12], [-2.0])
    two = live.filtered(np.array([False, True, True]))
    assert (two.sentences.tolist(), two.groups.sizes.tolist()) == ([0, 2], [1, 1])
    assert two.last.tolist() == [11, 12]


def finished_hypotheses() -> FinishedHypotheses:
    """Return two steps of one sentence: 5 or 6, then 7 or 8 after 6."""
    finished = FinishedHypotheses(1, n_best=2)
    finished.add_step(np.array([0, 0]), np.array([5, 6]))
    finished.add_step(np.array([1, 1]), np.array([7, 8]))
    return finished


def test_backpointers_lead_to_the_tokens_of_a_hypothesis() -> None:
    finished = finished_hypotheses()
    assert finished._ids(0) == (6, 7)
    assert finished._ids(1) == (6, 8)
    assert finished._ids(0, 1) == (5,)
    assert finished._ids(0, 0) == ()


def test_of_duplicates_the_best_is_kept() -> None:
    finished = finished_hypotheses()
    finished.add(0, 0, -3.0, dedup_key=1)
    finished.add(0, 1, -2.0, dedup_key=1)
    finished.add(0, 0, -9.0, dedup_key=1)
    assert finished.min_scores.tolist() == [-np.inf]
    assert finished.n_best() == [[Hypothesis((6, 8), -2.0)]]


def test_the_minimum_score_is_that_of_the_nth_best() -> None:
    finished = finished_hypotheses()
    finished.add(0, 0, -3.0, dedup_key=1)
    finished.add(0, 1, -2.0, dedup_key=2)
    assert finished.min_scores == pytest.approx([-3.0])
    finished.add(0, 1, -1.0, dedup_key=3)
    assert finished.min_scores == pytest.approx([-2.0])
    assert [hypothesis.log_prob for hypothesis in finished.n_best()[0]] == [-1.0, -2.0]


def test_an_unscored_hypothesis_ends_with_the_tokens_it_lacked() -> None:
    finished = finished_hypotheses()
    assert not finished.has_any(0)
    finished.add_unscored(0, 1, [4, 4])
    assert finished.n_best() == [[Hypothesis((6, 8, 4, 4), -np.inf)]]
