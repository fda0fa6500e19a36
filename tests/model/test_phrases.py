import numpy as np
import pytest

from tersely.model.phrases import (
    BEFORE,
    EARLIER,
    KEYWORD,
    LAST,
    OUTPUT,
    PHRASES,
    TABLE,
    Phrases,
    rows_of,
)

RNG = np.random.default_rng(1)


def test_a_phrase_has_the_same_row_for_ever() -> None:
    words = np.array([[2, 2, 2, 3], [5, 6, 7, 8], [9999, 1, 0, 42]])
    assert rows_of(words, 131072).tolist() == [
        [46103, 197706, 297800, 416497],
        [105554, 240727, 378272, 508495],
        [98030, 184300, 333887, 482548],
    ]


@pytest.mark.parametrize("rows", [1, 7, 1000, 1 << 17])
def test_each_kind_of_phrase_has_rows_of_its_own(rows: int) -> None:
    found = rows_of(RNG.integers(0, 10_000, (5000, 4)), rows)
    kinds = np.arange(len(PHRASES))
    assert (found // rows == kinds).all()
    assert len(rows_of(np.empty((0, 4), np.int64), rows)) == 0


@pytest.mark.parametrize("word", [LAST, BEFORE, EARLIER, KEYWORD])
def test_a_row_depends_on_the_words_of_its_phrase_alone(word: int) -> None:
    words = RNG.integers(0, 10_000, (2000, 4))
    other = words.copy()
    other[:, word] += 1
    same = (rows_of(words, 1 << 20) == rows_of(other, 1 << 20)).mean(axis=0)
    for phrase, share in zip(PHRASES, same, strict=True):
        assert share < 0.01 if word in phrase else share == 1


def test_the_order_of_words_makes_another_phrase() -> None:
    words = np.column_stack([np.arange(1000) for _ in range(4)]) + np.array([0, 1, 2, 3])
    turned = words[:, [1, 0, 2, 3]]
    assert (rows_of(words, 1 << 20) == rows_of(turned, 1 << 20)).mean() < 0.01


def test_phrases_that_resemble_each_other_are_spread_evenly() -> None:
    pairs = np.stack(np.meshgrid(np.arange(200), np.arange(200)), axis=2).reshape(-1, 2)
    words = np.column_stack([pairs, np.full((len(pairs), 2), 3)])
    rows = 1000
    for kind, column in enumerate(rows_of(words, rows).T):
        counts = np.bincount(column - kind * rows, minlength=rows)
        if len(set(PHRASES[kind]) & {LAST, BEFORE}) == 2:
            assert counts.mean() == 40
            assert counts.std() < 2 * np.sqrt(40)
            assert counts.min() > 0


def test_the_rows_are_multiplied_out_and_added_and_the_state_stays_as_it_is() -> None:
    tensors = {
        TABLE: RNG.normal(size=(len(PHRASES) * 50, 3)).astype(np.float32),
        OUTPUT: RNG.normal(size=(8, len(PHRASES) * 3)).astype(np.float32),
    }
    state = RNG.normal(size=(20, 8)).astype(np.float32)
    before, words = state.copy(), RNG.integers(0, 30, (20, 4))
    found = Phrases(tensors).added_to(state, words)
    said = tensors[TABLE][rows_of(words, 50)].reshape(20, -1)
    np.testing.assert_allclose(found, before + said @ tensors[OUTPUT].T, rtol=1e-5, atol=1e-5)
    assert (state == before).all()
