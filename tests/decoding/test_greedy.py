"""Greedy decoding over the made-up language of test_search.py."""

import numpy as np
import pytest

from tersely.decoding.greedy import greedy
from tersely.text.vocabulary import BOS_ID, EOS_ID, UNK_ID
from tests.decoding.test_beam import WIDTH, Language, Prefixes


@pytest.mark.parametrize("seed", range(5))
def test_greedy_takes_the_likeliest_word_each_time(seed: int) -> None:
    language = Language(seed)
    found = greedy(language.step, language.begin(10), rows=10, max_tokens=6)
    for row, one in enumerate(found):
        said = [row, BOS_ID]
        while len(said) < 8 and (best := int(language.next_words(tuple(said)).argmax())) != EOS_ID:
            said.append(best)
        assert one.ids == tuple(said[2:])
        expected = language.log_probability(row, one.ids)
        assert one.log_probability == pytest.approx(expected, abs=1e-5)


def test_greedy_ends_after_so_many_tokens() -> None:
    class Talkative(Language):
        def next_words(self, prefix: tuple[int, ...]) -> np.ndarray:
            scores = np.full(WIDTH, -3.0, np.float32)
            scores[5] = -0.1
            return scores

    language = Talkative()
    assert greedy(language.step, language.begin(1), rows=1, max_tokens=3)[0].ids == (5, 5, 5)


@pytest.mark.parametrize("seed", range(5))
def test_a_row_that_ends_early_leaves_the_others_alone(seed: int) -> None:
    language = Language(seed)
    together = greedy(language.step, language.begin(10), rows=10, max_tokens=6)
    assert len({len(one.ids) for one in together}) > 1  # they do end at different times
    for row, one in enumerate(together):
        alone = greedy(language.step, Prefixes([(row,)]), rows=1, max_tokens=6)
        assert alone == [one]


def test_once_all_rows_have_ended_no_step_is_taken() -> None:
    class Silent(Language):
        def next_words(self, prefix: tuple[int, ...]) -> np.ndarray:
            scores = np.full(WIDTH, -3.0, np.float32)
            scores[EOS_ID] = -0.1
            return scores

    language = Silent()
    found = greedy(language.step, language.begin(4), rows=4, max_tokens=6)
    assert [one.ids for one in found] == [()] * 4
    assert language.steps == 1


def test_nothing_is_barred() -> None:
    class Unknowing(Language):
        def next_words(self, prefix: tuple[int, ...]) -> np.ndarray:
            scores = np.full(WIDTH, -3.0, np.float32)
            scores[UNK_ID if len(prefix) < 4 else EOS_ID] = -0.1
            return scores

    language = Unknowing()
    [found] = greedy(language.step, language.begin(1), rows=1, max_tokens=6)
    assert found.ids == (UNK_ID, UNK_ID)
