"""Candidate search with random models of both architectures, and the merge with memory."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tersely.completion.calibration import Calibration
from tersely.completion.expansion import Expansion
from tersely.completion.memory import Memory, MemoryEntry
from tersely.completion.query import Query, parse_query
from tersely.completion.ranking import (
    NEW_SENTENCE_USES,
    TOKENS_PER_BATCH,
    CandidateSearch,
    SearchSettings,
    memory_probabilities,
    merge_memory,
)
from tersely.completion.suggestion import Suggestion
from tersely.decoding.beam import BeamOptions
from tersely.decoding.deadline import Deadline
from tersely.decoding.scoring import total_nll
from tersely.runtime.registry import open_runtime
from tersely.text.alignment import align
from tersely.text.tokens import SHIFT, detokenise, tokenise
from tersely.text.vocabulary import BOS_ID, EOS_ID
from tests.game.small import small_scheme
from tests.game.small_monotone import monotone_folder_of, small_monotone
from tests.runtime.test_paper import folder_of

FOLDERS = {
    "paper": folder_of(small_scheme()),
    "monotone": monotone_folder_of(small_monotone(width=0.8)),
}
SETTINGS = SearchSettings(BeamOptions(width=5, n_best=3, max_tokens=8))
QUERIES = [parse_query(text) for text in ("w5 w6", "", "w39 w7 w39", '"w8 w9" w10', "W5")]
EXPIRED = replace(SETTINGS, deadline=Deadline(is_cancelled=lambda: True))


@pytest.fixture(params=FOLDERS)
def search(request: pytest.FixtureRequest) -> CandidateSearch:
    return CandidateSearch(open_runtime(FOLDERS[request.param]), Calibration())


def test_without_queries_there_are_no_candidates(search: CandidateSearch) -> None:
    assert search.search([], SETTINGS) == []


def test_candidates_contain_the_keywords_and_their_score_is_their_probability(
    search: CandidateSearch,
) -> None:
    for row, found in zip(QUERIES, search.search(QUERIES, SETTINGS), strict=True):
        assert 1 <= len(found) <= 3
        losses = total_nll(
            search.runtime, [row.tokens] * len(found), [suggestion.tokens for suggestion in found]
        )
        for suggestion, loss in zip(found, losses, strict=True):
            assert align(row.tokens, suggestion.tokens) is not None
            assert suggestion.text == detokenise(suggestion.tokens)
            assert suggestion.score == pytest.approx(math.exp(-loss), rel=1e-3)


def test_candidates_differ_in_words_not_only_in_capitals(search: CandidateSearch) -> None:
    for found in search.search(QUERIES, SETTINGS):
        words = {
            tuple(token for token in suggestion.tokens if token != SHIFT) for suggestion in found
        }
        assert len(words) == len(found)


def test_scores_are_calibrated(search: CandidateSearch) -> None:
    calibration = Calibration(slope=0.5, behind=0.3, offset=0.1)
    other = CandidateSearch(search.runtime, calibration)
    for plain, calibrated in zip(
        search.search(QUERIES, SETTINGS), other.search(QUERIES, SETTINGS), strict=True
    ):
        assert [suggestion.text for suggestion in calibrated] == [
            suggestion.text for suggestion in plain
        ]
        expected = calibration.apply([suggestion.score for suggestion in plain])
        assert [suggestion.score for suggestion in calibrated] == pytest.approx(expected)
        assert expected != [suggestion.score for suggestion in plain]


def test_after_a_context_the_rest_of_the_sentence_is_suggested(search: CandidateSearch) -> None:
    runtime, context_tokens = search.runtime, ("w11", "w12", "w38")  # w38 is unknown
    settings = replace(SETTINGS, context_tokens=context_tokens)
    [found] = search.search([parse_query("w5 w6")], settings)
    for suggestion in found:
        assert align(["w5", "w6"], suggestion.tokens) is not None
        total, said = 0.0, [BOS_ID, *runtime.vocabulary.encode(context_tokens)]
        state = runtime.begin([("w5", "w6")])
        for word in said[:-1]:
            state, _ = runtime.step(state, np.array([word]))
        last = said[-1]
        for word in [*runtime.vocabulary.encode(suggestion.tokens), EOS_ID]:
            state, coming = runtime.step(state, np.array([last]))
            total += float(coming.log_prob(np.array([word]))[0])
            last = word
        assert suggestion.score == pytest.approx(math.exp(total), rel=1e-3)


def test_a_keyword_in_the_context_appears_once_more(search: CandidateSearch) -> None:
    settings = replace(SETTINGS, context_tokens=("w5", "w6"))
    [found] = search.search([parse_query("w5 w6")], settings)
    assert all(align(["w5", "w6"], suggestion.tokens) is not None for suggestion in found)


EXPANSIONS = [
    Expansion(parse_query("w5 w6")),
    Expansion(parse_query("w5 w7"), weight=3.0),
    Expansion(parse_query("w5 w39"), corrected=(("w4x", "w39"),)),
]


def test_expansions_are_weighted_by_the_probability_of_their_best_sentence(
    search: CandidateSearch,
) -> None:
    found = search.search([expansion.query for expansion in EXPANSIONS], SETTINGS)
    given = ("w5",)
    best = [own[0].tokens for own in found]
    shared = total_nll(search.runtime, [given] * 3, best)
    own = total_nll(search.runtime, [expansion.query.tokens for expansion in EXPANSIONS], best)
    shares = np.exp(own - shared) * [expansion.weight for expansion in EXPANSIONS]
    shares /= shares.sum()
    by_hand: dict[str, tuple[float, object]] = {}
    for share, expansion, row in zip(shares, EXPANSIONS, found, strict=True):
        for suggestion in row:
            score = share * suggestion.score
            if score > by_hand.get(suggestion.text, (0.0, None))[0]:
                by_hand[suggestion.text] = score, expansion.corrected
    first = sorted(by_hand.items(), key=lambda item: -item[1][0])[:3]
    pooled = search.search_and_rank(EXPANSIONS, given, SETTINGS)
    assert [suggestion.text for suggestion in pooled] == [text for text, _ in first]
    assert [suggestion.score for suggestion in pooled] == pytest.approx(
        [score for _, (score, _) in first]
    )
    assert [suggestion.corrected for suggestion in pooled] == [
        corrected for _, (_, corrected) in first
    ]
    assert sum(suggestion.score for suggestion in pooled) <= 1


def test_a_single_expansion_is_searched_as_a_query(search: CandidateSearch) -> None:
    [plain] = search.search([QUERIES[0]], SETTINGS)
    assert search.search_and_rank([Expansion(QUERIES[0])], ("w5",), SETTINGS) == plain


def test_a_tiny_prior_weight_ranks_an_expansion_last(
    search: CandidateSearch,
) -> None:
    likely, unlikely = parse_query("w5 w6"), parse_query("w5 w7")
    pooled = search.search_and_rank(
        [Expansion(unlikely, 1e-30), Expansion(likely)], ("w5",), SETTINGS
    )
    assert align(likely.tokens, pooled[0].tokens) is not None
    turned = search.search_and_rank(
        [Expansion(unlikely), Expansion(likely, 1e-30)], ("w5",), SETTINGS
    )
    assert align(unlikely.tokens, turned[0].tokens) is not None


def test_a_sentence_of_two_expansions_is_suggested_once(search: CandidateSearch) -> None:
    twice = search.search_and_rank(
        [Expansion(QUERIES[0]), Expansion(QUERIES[0], 2.0)], (), SETTINGS
    )
    [once] = search.search([QUERIES[0]], SETTINGS)
    assert [suggestion.text for suggestion in twice] == [suggestion.text for suggestion in once]
    assert [suggestion.score for suggestion in twice] == pytest.approx(
        [suggestion.score * 2 / 3 for suggestion in once]
    )


def test_the_loss_of_a_query_is_that_of_its_greedy_sentence(search: CandidateSearch) -> None:
    narrow = replace(SETTINGS, beam=replace(SETTINGS.beam, width=1, n_best=1))
    best = [own[0].tokens for own in search.search(QUERIES, narrow)]
    expected = total_nll(search.runtime, [()] * len(QUERIES), best)
    assert search.unconditional_losses(QUERIES, SETTINGS) == pytest.approx(expected)


def test_losses_do_not_depend_on_the_batch_size(
    search: CandidateSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [Query.from_phrases([(f"w{5 + start}",)] * (start + 1)) for start in range(12)]
    together = search.unconditional_losses(rows, SETTINGS)
    for batch_tokens in (1, 24, 30):
        monkeypatch.setattr("tersely.completion.ranking.TOKENS_PER_BATCH", batch_tokens)
        assert search.unconditional_losses(rows, SETTINGS) == pytest.approx(together, rel=1e-4)


def test_after_the_deadline_no_loss_is_computed(search: CandidateSearch) -> None:
    assert np.isinf(search.unconditional_losses(QUERIES, EXPIRED)).all()
    rows = [Query.from_phrases([("w5",)] * TOKENS_PER_BATCH)] * 3
    is_cancelled = iter([False, *[True] * 100_000])
    losses = search.unconditional_losses(
        rows, replace(SETTINGS, deadline=Deadline(is_cancelled=lambda: next(is_cancelled)))
    )
    assert np.isfinite(losses).tolist() == [True, False, False]


def test_after_the_deadline_every_expansion_has_a_candidate(search: CandidateSearch) -> None:
    pooled = search.search_and_rank(EXPANSIONS, ("w5",), EXPIRED)
    assert {suggestion.text for suggestion in pooled} == {"w5 w6", "w5 w7", "w5 w39"}


LATE_ENTRY = MemoryEntry("I will be late.", 3, "2026-01-01 00:00:00")
NOTE_ENTRY = MemoryEntry("I will be at the station late tonight.", 3, "2026-01-01 00:00:00")


def test_without_entries_all_probability_is_the_models() -> None:
    assert memory_probabilities([], n_keywords=2) == ({}, 1.0)


def test_probabilities_of_entries_and_model_sum_to_one() -> None:
    scores, left = memory_probabilities([LATE_ENTRY, NOTE_ENTRY], n_keywords=2)
    assert sum(scores.values()) + left == pytest.approx(1.0)
    assert left > 0


def test_the_more_of_a_sentence_is_typed_the_likelier_it_is() -> None:
    scores, _ = memory_probabilities([LATE_ENTRY, NOTE_ENTRY], n_keywords=2)
    assert scores[LATE_ENTRY.text] > scores[NOTE_ENTRY.text]
    more, _ = memory_probabilities([LATE_ENTRY], n_keywords=4)
    assert (
        more[LATE_ENTRY.text] > memory_probabilities([LATE_ENTRY], n_keywords=1)[0][LATE_ENTRY.text]
    )


def test_the_more_often_it_was_used_the_likelier_it_comes_again() -> None:
    often = MemoryEntry(NOTE_ENTRY.text, 300, NOTE_ENTRY.last_used)
    scores, left = memory_probabilities([LATE_ENTRY, often], n_keywords=2)
    assert scores[often.text] > scores[LATE_ENTRY.text]
    assert left < memory_probabilities([LATE_ENTRY, NOTE_ENTRY], n_keywords=2)[1]


def test_a_sentence_typed_in_full_counts_in_full() -> None:
    scores, left = memory_probabilities([LATE_ENTRY], n_keywords=5)
    assert scores[LATE_ENTRY.text] == pytest.approx(3 / (3 + NEW_SENTENCE_USES))
    assert left == pytest.approx(NEW_SENTENCE_USES / (3 + NEW_SENTENCE_USES))
    assert memory_probabilities([LATE_ENTRY], n_keywords=50)[0] == scores


CREAM = "Tom ate ice cream in Paris."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "phrases.db") as opened:
        for sentence in (LATE_ENTRY.text, LATE_ENTRY.text, CREAM, "Late? Not me."):
            opened.remember(sentence)
        yield opened


def suggested(text: str, score: float) -> Suggestion:
    return Suggestion(text, score, tuple(tokenise(text).tokens))


def recalled(memory: Memory, text: str, *, prefix: bool = False, free: bool = False) -> set[str]:
    query = parse_query(text, prefix=prefix)
    suggestions = merge_memory(memory, query, [], in_order=not free)
    assert {suggestion.source for suggestion in suggestions} <= {"memory"}
    return {suggestion.text for suggestion in suggestions}


def test_model_and_memory_share_one_probability(memory: Memory) -> None:
    model = [suggested("It is late.", 0.6), suggested("I was late.", 0.4)]
    mixed = merge_memory(memory, parse_query("late"), model)
    assert [suggestion.score for suggestion in mixed] == sorted(
        (suggestion.score for suggestion in mixed), reverse=True
    )
    assert sum(suggestion.score for suggestion in mixed) == pytest.approx(1.0)
    scores = {suggestion.text: suggestion.score for suggestion in mixed}
    assert scores["It is late."] / scores["I was late."] == pytest.approx(0.6 / 0.4)
    assert {suggestion.text for suggestion in mixed if suggestion.source == "memory"} == {
        LATE_ENTRY.text,
        "Late? Not me.",
    }


def test_a_sentence_of_model_and_memory_is_suggested_once_with_both_scores(memory: Memory) -> None:
    model = [suggested(LATE_ENTRY.text, 0.5), suggested("It is late.", 0.1)]
    mixed = merge_memory(memory, parse_query("will late"), model)
    alone = merge_memory(memory, parse_query("will late"), model[1:])
    assert [suggestion.text for suggestion in mixed].count(LATE_ENTRY.text) == 1
    both, only = (
        next(suggestion for suggestion in row if suggestion.text == LATE_ENTRY.text)
        for row in (mixed, alone)
    )
    assert both.source == "memory"
    left = merge_memory(memory, parse_query("will late"), model[1:])[-1].score / 0.1
    assert both.score == pytest.approx(only.score + left * 0.5)


def test_without_matching_entries_the_models_suggestions_stay_as_they_are(memory: Memory) -> None:
    model = [suggested("It is cold.", 0.6)]
    assert merge_memory(memory, parse_query("cold"), model) == model
    assert merge_memory(memory, parse_query(""), model) == model


@pytest.mark.parametrize(
    ("text", "in_order", "in_any_order"),
    [
        ("ice paris", {CREAM}, {CREAM}),
        ("paris ice", set(), {CREAM}),
        ("Paris", {CREAM}, {CREAM}),
        ("Ice", set(), set()),
        ('"ice cream"', {CREAM}, {CREAM}),
        ('"cream ice"', set(), set()),
        ('"ice in"', set(), set()),
        ("paris.", {CREAM}, {CREAM}),
        ("late?", set(), set()),
        ("late late", set(), {LATE_ENTRY.text, "Late? Not me."}),
    ],
)
def test_sentences_from_memory_match_the_query(
    memory: Memory, text: str, in_order: set[str], in_any_order: set[str]
) -> None:
    assert recalled(memory, text) == in_order
    assert recalled(memory, text, free=True) == in_any_order


def test_sentences_from_memory_match_an_unfinished_last_word(memory: Memory) -> None:
    assert recalled(memory, "ice par", prefix=True) == {CREAM}
    assert recalled(memory, "paris cre", prefix=True) == set()
    assert recalled(memory, "paris cre", prefix=True, free=True) == {CREAM}
    assert recalled(memory, "Pa", prefix=True) == {CREAM}
    assert recalled(memory, "Ic", prefix=True) == set()
