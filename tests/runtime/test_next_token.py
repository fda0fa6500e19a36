"""Next-token distributions of both architectures: the top k without scoring every token."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from tersely.model.budget_features import DecoderBudget
from tersely.runtime.adaptive_softmax import VocabularySoftmax
from tersely.runtime.arrays import Floats, RowGroups
from tersely.runtime.monotone import MonotoneRuntime
from tersely.runtime.next_token import CopyOrGenerate, NextTokenDistribution, PruningThreshold
from tersely.runtime.paper import PaperRuntime
from tersely.text.vocabulary import BOS_ID
from tests.game.small import SHAPES, random_batch, small_scheme
from tests.game.small_monotone import (
    MONOTONE_SHAPES,
    monotone_folder_of,
    random_masks,
    small_monotone,
    words_of,
)
from tests.runtime.dense_next_token import DenseNextTokenDistribution
from tests.runtime.test_paper import draw_sentences, folder_of

ROWS = 60


def dense_next_token() -> DenseNextTokenDistribution:
    scores = np.random.default_rng(1).normal(size=(ROWS, 40)).astype(np.float32)
    scores[:, 7] = -np.inf
    return DenseNextTokenDistribution(scores)


def monotone_next_token(name: str) -> NextTokenDistribution:
    scheme = small_monotone(MONOTONE_SHAPES[name], width=1.0)
    runtime, batch = MonotoneRuntime(monotone_folder_of(scheme)), random_batch(ROWS)
    typed = words_of(batch, random_masks(batch, share=0.4))
    return after_three_steps(runtime, runtime.begin(typed, DecoderBudget(0.4)))


def paper_next_token(name: str) -> CopyOrGenerate:
    runtime = PaperRuntime(folder_of(small_scheme(SHAPES[name], width=1.0)))
    typed = draw_sentences(ROWS).typed
    typed[0] = ["w5", "w5", "w33", "w33", "w20"]  # repeated keywords, known and unknown
    next_token = after_three_steps(runtime, runtime.begin(typed))
    assert isinstance(next_token, CopyOrGenerate)
    return next_token


def after_three_steps(runtime: Any, state: Any) -> NextTokenDistribution:
    tokens = random_batch(ROWS).tokens
    last = np.full(ROWS, BOS_ID)
    for place in range(3):
        state, next_token = runtime.step(state, last)
        last = tokens[:, min(place, tokens.shape[1] - 1)].numpy().clip(4, 29)
    distribution: NextTokenDistribution = next_token
    return distribution


KINDS: dict[str, Callable[[], NextTokenDistribution]] = {
    "dense": dense_next_token,
    **{f"monotone, {name}": partial(monotone_next_token, name) for name in MONOTONE_SHAPES},
    **{f"paper, {name}": partial(paper_next_token, name) for name in SHAPES},
}


@pytest.fixture(scope="module", params=KINDS)
def next_token(request: pytest.FixtureRequest) -> NextTokenDistribution:
    """Return the distribution after three tokens, of every kind there is."""
    return KINDS[request.param]()


@pytest.mark.parametrize("k", [1, 2, 5, 11, 100])
def test_the_top_k_are_those_of_all_tokens(next_token: NextTokenDistribution, k: int) -> None:
    every = next_token.log_probs()
    ids, log_probs = next_token.top_k(k)
    assert ids.shape == log_probs.shape
    for row in range(ROWS):
        is_possible = np.isfinite(log_probs[row])
        possible, values = ids[row, is_possible], log_probs[row, is_possible]
        assert len(set(possible.tolist())) == len(possible)
        assert np.allclose(values, every[row, possible], atol=1e-5)
        expected = np.sort(every[row][np.isfinite(every[row])])[::-1][:k]
        assert np.allclose(np.sort(values)[::-1][:k], expected, atol=1e-5)


def test_one_token_a_row_is_as_likely_as_among_all(next_token: NextTokenDistribution) -> None:
    every = next_token.log_probs()
    for token in range(every.shape[1]):
        log_probs = next_token.log_prob(np.full(ROWS, token))
        assert np.allclose(log_probs, every[:, token], atol=1e-5)
    mixed = np.arange(ROWS) % every.shape[1]
    assert np.allclose(next_token.log_prob(mixed), every[np.arange(ROWS), mixed], atol=1e-5)


@pytest.mark.parametrize("name", SHAPES)
def test_generating_and_copying_sum_to_one(name: str) -> None:
    next_token = paper_next_token(name)
    sums = np.exp(next_token.log_probs()).sum(axis=1)
    has_keywords = (next_token.keywords >= 0).any(axis=1)  # else the share of copying is lost
    assert has_keywords.sum() > ROWS / 2
    assert sums[has_keywords] == pytest.approx(np.ones(has_keywords.sum()), abs=1e-4)


def count_tail_rows(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Record the number of rows of each cluster that is scored."""
    rows: list[int] = []
    original = VocabularySoftmax.tail_scores

    def counted(softmax: VocabularySoftmax, hidden: Floats, cluster: int) -> Floats:
        rows.append(len(hidden))
        return original(softmax, hidden, cluster)

    monkeypatch.setattr(VocabularySoftmax, "tail_scores", counted)
    return rows


def test_no_cluster_is_scored_where_it_cannot_compete(monkeypatch: pytest.MonkeyPatch) -> None:
    scheme = small_monotone(MONOTONE_SHAPES["adaptive"], width=0.5)
    with torch.no_grad():
        scheme.get_parameter("decoder.softmax.output.head.weight")[10:].mul_(0).sub_(50)
        scheme.get_parameter("decoder.lstm.bias_ih_l0").fill_(
            9
        )  # hidden states near 1, clusters near 0
    runtime = MonotoneRuntime(monotone_folder_of(scheme))
    _, next_token = runtime.step(runtime.begin([["w5"], []]), np.array([BOS_ID, BOS_ID]))
    rows = count_tail_rows(monkeypatch)
    next_token.top_k(3)
    assert not rows


def test_copying_counts_when_clusters_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = PaperRuntime(folder_of(small_scheme(SHAPES["adaptive"], width=0.1)))
    _, next_token = runtime.step(runtime.begin([["w5"], ["w20"]]), np.array([BOS_ID, BOS_ID]))
    rows = count_tail_rows(monkeypatch)
    next_token.top_k(1)
    scored = sum(rows)
    rows.clear()
    next_token.log_probs()
    assert scored < sum(rows)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_a_threshold_drops_nothing_of_a_sentences_top_k(
    next_token: NextTokenDistribution, k: int
) -> None:
    scores = np.random.default_rng(2).normal(scale=3, size=ROWS).astype(np.float32)
    starts = (0, 5, 6, 30, ROWS)
    min_scores = np.full(len(starts) - 1, -np.inf, np.float32)
    threshold = PruningThreshold(scores, RowGroups(np.diff(starts)), min_scores)
    ids, log_probs = next_token.top_k(k, threshold)
    every = next_token.log_probs()
    for start, end in itertools.pairwise(starts):
        best = np.sort((log_probs + scores[:, None])[start:end].ravel())[::-1][:k]
        expected = np.sort((every + scores[:, None])[start:end].ravel())[::-1][:k]
        assert np.allclose(best, expected, atol=1e-4)
    for row in range(ROWS):
        is_possible = np.isfinite(log_probs[row])
        expected = every[row, ids[row, is_possible]]
        assert np.allclose(log_probs[row, is_possible], expected, atol=1e-5)


def test_the_threshold_is_the_kth_best_candidate_of_the_sentence() -> None:
    log_probs = np.array([[-1.0, -2.0], [-3.0, -4.0], [-1.0, -9.0]], np.float32)
    scores = np.array([-1.0, 0.0, 0.0], np.float32)
    min_scores = np.full(2, -np.inf, np.float32)
    threshold = PruningThreshold(scores, RowGroups(np.array([2, 1])), min_scores)
    # Totals of the first sentence: −2, −3; −3, −4. Its third best is −3.
    assert threshold.min_log_probs(log_probs, 3) == pytest.approx([-2.0, -3.0, -np.inf])
    # The minimum scores count where they are higher.
    higher = replace(threshold, min_scores=np.array([-2.5, -4.0], np.float32))
    assert higher.min_log_probs(log_probs, 3) == pytest.approx([-1.5, -2.5, -4.0])
