from collections.abc import Iterator
from pathlib import Path

import pytest

from tersely.completion.memory import Memory, Remembered
from tersely.completion.memory_lookup import NEWNESS, recall, with_memory
from tersely.completion.query import read_typed
from tersely.completion.suggestion import Suggestion
from tersely.text.tokens import tokenise

LATE = Remembered("I will be late.", 3, "2026-01-01 00:00:00")
NOTE = Remembered("I will be at the station late tonight.", 3, "2026-01-01 00:00:00")


def test_without_memories_everything_is_left_to_the_model() -> None:
    assert recall([], keywords=2) == ({}, 1.0)


def test_probabilities_of_what_is_known_and_what_is_new_sum_to_one() -> None:
    scores, left = recall([LATE, NOTE], keywords=2)
    assert sum(scores.values()) + left == pytest.approx(1.0)
    assert left > 0


def test_the_more_of_a_sentence_is_typed_the_likelier_it_is_meant() -> None:
    scores, _ = recall([LATE, NOTE], keywords=2)
    assert scores[LATE.text] > scores[NOTE.text]
    more, _ = recall([LATE], keywords=4)
    assert more[LATE.text] > recall([LATE], keywords=1)[0][LATE.text]


def test_the_more_often_it_was_used_the_likelier_it_comes_again() -> None:
    often = Remembered(NOTE.text, 300, NOTE.last_used)
    scores, left = recall([LATE, often], keywords=2)
    assert scores[often.text] > scores[LATE.text]
    assert left < recall([LATE, NOTE], keywords=2)[1]


def test_typed_in_full_it_counts_in_full() -> None:
    scores, left = recall([LATE], keywords=5)
    assert scores[LATE.text] == pytest.approx(3 / (3 + NEWNESS))
    assert left == pytest.approx(NEWNESS / (3 + NEWNESS))
    assert recall([LATE], keywords=50)[0] == scores


CREAM = "Tom ate ice cream in Paris."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "phrases.db") as opened:
        for sentence in (LATE.text, LATE.text, CREAM, "Late? Not me."):
            opened.remember(sentence)
        yield opened


def suggested(text: str, score: float) -> Suggestion:
    return Suggestion(text, score, tuple(tokenise(text).tokens))


def remembered(memory: Memory, text: str, *, prefix: bool = False, free: bool = False) -> set[str]:
    found = with_memory(memory, read_typed(text), [], prefix=prefix, free=free)
    assert {one.source for one in found} <= {"memory"}
    return {one.text for one in found}


def test_models_and_remembered_sentences_share_one_probability(memory: Memory) -> None:
    model = [suggested("It is late.", 0.6), suggested("I was late.", 0.4)]
    mixed = with_memory(memory, read_typed("late"), model, prefix=False)
    assert [one.score for one in mixed] == sorted((one.score for one in mixed), reverse=True)
    assert sum(one.score for one in mixed) == pytest.approx(1.0)
    scores = {one.text: one.score for one in mixed}
    assert scores["It is late."] / scores["I was late."] == pytest.approx(0.6 / 0.4)
    assert {one.text for one in mixed if one.source == "memory"} == {LATE.text, "Late? Not me."}


def test_what_both_would_say_is_said_once_with_both_their_scores(memory: Memory) -> None:
    model = [suggested(LATE.text, 0.5), suggested("It is late.", 0.1)]
    mixed = with_memory(memory, read_typed("will late"), model, prefix=False)
    alone = with_memory(memory, read_typed("will late"), model[1:], prefix=False)
    assert [one.text for one in mixed].count(LATE.text) == 1
    both, only = (next(one for one in row if one.text == LATE.text) for row in (mixed, alone))
    assert both.source == "memory"
    left = with_memory(memory, read_typed("will late"), model[1:], prefix=False)[-1].score / 0.1
    assert both.score == pytest.approx(only.score + left * 0.5)


def test_where_nothing_fits_the_models_sentences_stay_as_they_are(memory: Memory) -> None:
    model = [suggested("It is cold.", 0.6)]
    assert with_memory(memory, read_typed("cold"), model, prefix=False) == model
    assert with_memory(memory, read_typed(""), model, prefix=False) == model


@pytest.mark.parametrize(
    ("text", "typed", "free"),
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
        ("late late", set(), set()),
    ],
)
def test_remembered_sentences_too_contain_what_was_typed_as_it_was_meant(
    memory: Memory, text: str, typed: set[str], free: set[str]
) -> None:
    assert remembered(memory, text) == typed
    assert remembered(memory, text, free=True) == free


def test_the_last_word_may_be_unfinished_in_any_order(memory: Memory) -> None:
    assert remembered(memory, "ice par", prefix=True) == {CREAM}
    assert remembered(memory, "paris cre", prefix=True) == set()
    assert remembered(memory, "paris cre", prefix=True, free=True) == {CREAM}
    assert remembered(memory, "Pa", prefix=True) == {CREAM}
    assert remembered(memory, "Ic", prefix=True) == set()
