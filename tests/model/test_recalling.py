import pytest

from tersely.model.memory import Remembered
from tersely.model.recalling import NEWNESS, recall

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
