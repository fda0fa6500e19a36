import numpy as np
import pytest

from tersely.decoding.hypotheses import Live, Story
from tersely.runtime.kernels.beam import Followed


def followed(sizes: list[int], rows: list[int]) -> Followed:
    count = len(rows)
    numbers = np.arange(count)
    return Followed(
        np.array(sizes),
        np.array(rows),
        numbers + 10,
        numbers,
        -1.0 * numbers,
        numbers.astype(np.uint64),
        np.array([], np.int64),
        np.array([]),
    )


def test_what_goes_on_stays_with_its_sentence() -> None:
    live = Live.start(np.array([2, 2, 2])).after(followed([2, 0, 1], [0, 0, 2]))
    assert live.sentences.tolist() == [0, 2]
    assert live.sentence.tolist() == [0, 0, 2]
    assert live.groups.sizes.tolist() == [2, 1]
    assert live.last.tolist() == [10, 11, 12]
    one = live.of_rows(np.array([False, False, True]))
    assert (one.sentences.tolist(), one.groups.sizes.tolist()) == ([2], [1])
    assert (one.sentence.tolist(), one.last.tolist(), one.score.tolist()) == ([2], [12], [-2.0])
    both = live.of_rows(np.array([False, True, True]))
    assert (both.sentences.tolist(), both.groups.sizes.tolist()) == ([0, 2], [1, 1])
    assert both.last.tolist() == [11, 12]


def a_story(count: int = 2) -> Story:
    """One sentence: 5 or 6, then after 6 comes 7 or 8."""
    story = Story(1, count)
    story.go_on(np.array([0, 0]), np.array([5, 6]))
    story.go_on(np.array([1, 1]), np.array([7, 8]))
    return story


def test_what_was_said_is_told_word_by_word() -> None:
    story = a_story()
    assert story.said(0) == (6, 7)
    assert story.said(1) == (6, 8)
    assert story.said(0, 1) == (5,)
    assert story.said(0, 0) == ()


def test_of_sentences_that_sound_alike_the_best_counts() -> None:
    story = a_story()
    story.end(0, 0, -3.0, heard=1)
    story.end(0, 1, -2.0, heard=1)
    story.end(0, 0, -9.0, heard=1)
    assert story.worst_wanted.tolist() == [-np.inf]
    [[found]] = story.found()
    assert (found.ids, found.log_probability) == ((6, 8), -2.0)


def test_the_worst_of_as_many_as_are_wanted_is_known_once_there_are() -> None:
    story = a_story()
    story.end(0, 0, -3.0, heard=1)
    story.end(0, 1, -2.0, heard=2)
    assert story.worst_wanted == pytest.approx([-3.0])
    story.end(0, 1, -1.0, heard=3)
    assert story.worst_wanted == pytest.approx([-2.0])
    assert [one.log_probability for one in story.found()[0]] == [-1.0, -2.0]


def test_a_sentence_cut_short_has_the_words_it_lacked() -> None:
    story = a_story()
    assert not story.has_ended(0)
    story.cut_short(0, 1, [4, 4])
    [[found]] = story.found()
    assert (found.ids, found.log_probability) == ((6, 8, 4, 4), -np.inf)
