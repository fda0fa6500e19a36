"""Greedy decoding of a made-up language."""

import numpy as np
import pytest

from tersely.decoding.greedy import greedy
from tersely.runtime.arrays import Floats
from tersely.text.vocabulary import BOS_ID, EOS_ID, UNK_ID
from tests.decoding.language import WIDTH, Language, Prefixes


class Fixed(Language):
    """Makes one token likely: `early` in the first two steps, `late` after that."""

    def __init__(self, early: int, late: int) -> None:
        super().__init__()
        self.early, self.late = early, late

    def next_log_probs(self, prefix: tuple[int, ...]) -> Floats:
        log_probs = np.full(WIDTH, -3.0, np.float32)
        log_probs[self.early if len(prefix) < 4 else self.late] = -0.1
        return log_probs


def test_the_likeliest_token_is_taken_at_each_step() -> None:
    for seed in range(5):
        language = Language(seed)
        hypotheses = greedy(language.step, language.begin(10), rows=10, max_tokens=6)
        for row, hypothesis in enumerate(hypotheses):
            prefix: tuple[int, ...] = (row, BOS_ID)
            while len(prefix) < 8:
                best = int(language.next_log_probs(prefix).argmax())
                if best == EOS_ID:
                    break
                prefix = (*prefix, best)
            assert hypothesis.ids == prefix[2:]
            expected = language.sentence_log_prob(row, hypothesis.ids)
            assert hypothesis.log_prob == pytest.approx(expected, abs=1e-5)


def test_a_sentence_ends_after_max_tokens() -> None:
    language = Fixed(5, 5)
    assert greedy(language.step, language.begin(1), rows=1, max_tokens=3)[0].ids == (5, 5, 5)


def test_a_row_gets_the_same_sentence_in_any_batch() -> None:
    for seed in range(5):
        language = Language(seed)
        together = greedy(language.step, language.begin(10), rows=10, max_tokens=6)
        assert len({len(hypothesis.ids) for hypothesis in together}) > 1  # some end earlier
        for row, hypothesis in enumerate(together):
            alone = greedy(language.step, Prefixes([(row,)]), rows=1, max_tokens=6)
            assert alone == [hypothesis]


def test_no_step_is_taken_after_all_rows_have_ended() -> None:
    language = Fixed(EOS_ID, EOS_ID)
    hypotheses = greedy(language.step, language.begin(4), rows=4, max_tokens=6)
    assert [hypothesis.ids for hypothesis in hypotheses] == [()] * 4
    assert language.steps == 1


def test_no_token_is_forbidden() -> None:
    language = Fixed(UNK_ID, EOS_ID)
    [hypothesis] = greedy(language.step, language.begin(1), rows=1, max_tokens=6)
    assert hypothesis.ids == (UNK_ID, UNK_ID)
