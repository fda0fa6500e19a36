import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch

from tersely.runtime.groups import Groups
from tersely.runtime.monotone import MonotoneRuntime
from tersely.runtime.next_token import NextWords, Rivals
from tersely.text.vocabulary import BOS_ID
from tests.game.small import random_batch
from tests.game.small_monotone import (
    MONOTONE_SHAPES,
    monotone_folder_of,
    random_masks,
    small_monotone,
    words_of,
)
from tests.runtime.all_scores import AllScores

ROWS = 60


def some_scores() -> np.ndarray:
    scores = np.random.default_rng(1).normal(size=(ROWS, 40)).astype(np.float32)
    scores[:, 7] = -np.inf
    return scores


@pytest.fixture(scope="module", params=[*MONOTONE_SHAPES, "all scores"])
def coming(request: pytest.FixtureRequest) -> NextWords:
    """What may come after a few words, of every kind there is."""
    if request.param == "all scores":
        return AllScores(some_scores())
    scheme = small_monotone(MONOTONE_SHAPES[request.param], width=1.0)
    runtime = MonotoneRuntime(monotone_folder_of(scheme))
    batch = random_batch(ROWS)
    state = runtime.begin(words_of(batch, random_masks(batch, share=0.4)), 0.4)
    last = np.full(ROWS, BOS_ID)
    for place in range(3):
        state, found = runtime.step(state, last)
        last = batch.tokens[:, min(place, batch.tokens.shape[1] - 1)].numpy().clip(4, 29)
    return found


@pytest.mark.parametrize("count", [1, 2, 5, 11, 100])
def test_the_best_are_those_of_all(coming: NextWords, count: int) -> None:
    every = coming.all()
    ids, scores = coming.best(count)
    assert ids.shape == scores.shape
    for row in range(ROWS):
        possible = np.isfinite(scores[row])
        assert len(set(ids[row, possible])) == possible.sum()
        assert np.allclose(scores[row, possible], every[row, ids[row, possible]], atol=1e-5)
        expected = np.sort(every[row][np.isfinite(every[row])])[::-1][:count]
        found = np.sort(scores[row, possible])[::-1][:count]
        assert np.allclose(found, expected, atol=1e-5)


def test_one_word_a_row_is_as_likely_as_among_all(coming: NextWords) -> None:
    every = coming.all()
    for word in range(every.shape[1]):
        found = coming.of(np.full(ROWS, word))
        assert np.allclose(found, every[:, word], atol=1e-5)
    mixed = np.arange(ROWS) % every.shape[1]
    assert np.allclose(coming.of(mixed), every[np.arange(ROWS), mixed], atol=1e-5)


def test_rare_words_are_not_scored_where_they_cannot_compete(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scheme = small_monotone(MONOTONE_SHAPES["adaptive"], width=0.5)
    with torch.no_grad():
        scheme.decoder.softmax.output.head.weight[10:].mul_(0).sub_(50)
        scheme.decoder.lstm.bias_ih_l0.fill_(9)  # all states near one, so clusters near nothing
    runtime = MonotoneRuntime(monotone_folder_of(scheme))
    _, found = runtime.step(runtime.begin([["w5"], []]), np.array([BOS_ID, BOS_ID]))
    asked: list[int] = []
    monkeypatch.setattr(
        type(found.softmax), "tail_scores", lambda *_: asked.append(1) or np.zeros((2, 10))
    )
    found.best(3)
    assert not asked


@pytest.mark.parametrize("count", [1, 2, 5])
def test_rivals_lose_nothing_that_is_among_the_best_of_their_sentence(
    coming: NextWords, count: int
) -> None:
    so_far = np.random.default_rng(2).normal(scale=3, size=ROWS).astype(np.float32)
    starts = (0, 5, 6, 30, ROWS)
    nothing = np.full(len(starts) - 1, -np.inf, np.float32)
    ids, scores = coming.best(count, Rivals(so_far, Groups(np.diff(starts)), nothing))
    every = coming.all()
    for start, end in itertools.pairwise(starts):
        found = np.sort((scores + so_far[:, None])[start:end].ravel())[::-1][:count]
        expected = np.sort((every + so_far[:, None])[start:end].ravel())[::-1][:count]
        assert np.allclose(found, expected, atol=1e-4)
    for row in range(ROWS):
        possible = np.isfinite(scores[row])
        assert np.allclose(scores[row, possible], every[row, ids[row, possible]], atol=1e-5)


def test_a_floor_is_what_the_last_wanted_word_of_the_sentence_has() -> None:
    scores = np.array([[-1.0, -2.0], [-3.0, -4.0], [-1.0, -9.0]], np.float32)
    nothing = np.full(2, -np.inf, np.float32)
    rivals = Rivals(np.array([-1.0, 0.0, 0.0], np.float32), Groups(np.array([2, 1])), nothing)
    # Totals of the first sentence: −2, −3; −3, −4. Its third best is −3.
    assert rivals.floors(scores, 3) == pytest.approx([-2.0, -3.0, -np.inf])
    # What is given up counts where it is more than that.
    given_up = replace(rivals, given_up=np.array([-2.5, -4.0], np.float32))
    assert given_up.floors(scores, 3) == pytest.approx([-1.5, -2.5, -4.0])
