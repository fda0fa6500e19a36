import math
from itertools import pairwise

import numpy as np
import pytest
import torch

from tersely.decoding.beam import Beam, beam_search
from tersely.decoding.constraints import Wanted
from tersely.decoding.greedy import greedy
from tersely.decoding.scoring import total_nll
from tersely.errors import TerselyError
from tersely.game.batches import Batch
from tersely.game.distilled.scheme import MonotoneScheme
from tersely.model.folder import ModelFolder
from tersely.runtime.monotone import MonotoneRuntime, MonotoneState
from tersely.selection.budget import Spending, Told
from tersely.text.keywords import leftmost_alignment
from tersely.text.vocabulary import BOS_ID, EOS_ID
from tests.game.small import random_batch
from tests.game.small_monotone import (
    MONOTONE_SHAPES,
    monotone_folder_of,
    random_masks,
    small_monotone,
    words_of,
)


def runtime_of(scheme: MonotoneScheme) -> MonotoneRuntime:
    return MonotoneRuntime(monotone_folder_of(scheme))


def typed_words(rows: int, *, share: float = 0.3, seed: int = 1) -> list[list[str]]:
    batch = random_batch(rows, seed=seed)
    return words_of(batch, random_masks(batch, share=share))


@pytest.mark.promise(10)
@pytest.mark.parametrize("budget", [None, 0.1, 0.4, 1.0])
@pytest.mark.parametrize("name", MONOTONE_SHAPES)
@torch.no_grad()
def test_numpy_and_torch_give_sentences_the_same_probability(
    name: str, budget: float | None
) -> None:
    scheme = small_monotone(MONOTONE_SHAPES[name], width=0.8)
    batch = random_batch(500)
    keep = random_masks(batch)
    ours = total_nll(runtime_of(scheme), words_of(batch, keep), words_of(batch), budget=budget)
    told = torch.full((500,), math.nan if budget is None else budget, dtype=torch.float64)
    theirs = scheme.token_losses(batch, keep, told)[0].sum(dim=1).numpy()
    assert np.abs(ours - theirs).max() < 1e-4


@pytest.mark.promise(10)
@pytest.mark.parametrize("budget", [0.05, 0.4, 1.0])
@torch.no_grad()
def test_numpy_and_torch_find_the_same_costs(budget: float) -> None:
    scheme = small_monotone(width=0.8)
    batch = random_batch(500)
    ours = runtime_of(scheme).costs(words_of(batch), budget)
    theirs = scheme.costs(batch, torch.full((500,), budget)).numpy()
    for mine, row, length in zip(ours, theirs, batch.lengths.tolist(), strict=True):
        assert mine.shape == (length, 2)
        assert np.abs(mine - row[:length]).max() < 1e-4


@pytest.mark.promise(10)
@torch.no_grad()
def test_an_unknown_word_that_comes_again_untyped_is_as_likely_as_any_unknown_word() -> None:
    scheme, batch = small_monotone(), Batch(torch.tensor([[35, 5, 6, 35]]), torch.tensor([4]))
    keep = torch.tensor([[True, False, False, False]])
    ours = total_nll(runtime_of(scheme), words_of(batch, keep), words_of(batch))
    theirs = scheme.token_losses(batch, keep, torch.tensor([math.nan]))[0].sum()
    assert ours[0] == pytest.approx(float(theirs), abs=1e-4)


def test_a_sentence_without_words_has_no_costs() -> None:
    empty, other = runtime_of(small_monotone()).costs([[], ["w7"]], 0.4)
    assert (empty.shape, other.shape) == ((0, 2), (1, 2))


@pytest.mark.parametrize("guarantee", [False, True])
@pytest.mark.parametrize(("seed", "width"), [(1, 0.1), (2, 0.5), (3, 1.0), (4, 2.0)])
def test_what_a_beam_finds_contains_its_keywords_in_order(
    seed: int, width: float, guarantee: bool
) -> None:
    runtime = runtime_of(small_monotone(seed=seed, width=width))
    state = runtime.begin(typed_words(15, seed=seed))
    keywords = [row[: row.index(EOS_ID)] for row in state.keywords.tolist()]
    beam = Beam(width=3, max_tokens=12, spare_tokens=3, guarantee=guarantee)
    found = beam_search(runtime.step, state, [Wanted(row) for row in keywords], beam)
    sentences = [(one.ids, row) for row, ones in zip(keywords, found, strict=True) for one in ones]
    assert len(sentences) > 15
    assert any(row and len(ids) > len(row) for ids, row in sentences)
    assert all(leftmost_alignment(row, ids) is not None for ids, row in sentences)


@pytest.mark.parametrize(("seed", "width"), [(1, 0.1), (2, 0.5), (3, 1.0), (4, 2.0)])
def test_what_greedy_search_ends_contains_its_keywords_in_order(seed: int, width: float) -> None:
    runtime = runtime_of(small_monotone(seed=seed, width=width))
    state = runtime.begin(typed_words(60, seed=seed))
    found = greedy(runtime.step, state, rows=60, max_tokens=20)
    ended = [
        (one, row)
        for one, row in zip(found, state.keywords.tolist(), strict=True)
        if one.log_probability > -math.inf
    ]
    assert len(ended) > 20
    for one, row in ended:
        assert leftmost_alignment(row[: row.index(EOS_ID)], one.ids) is not None


@pytest.mark.parametrize("told", [None, 0.4, Spending(0.2, 0.01)])
def test_a_rows_answer_does_not_depend_on_its_company(told: Told | None) -> None:
    runtime = runtime_of(small_monotone(width=0.8))
    rows = typed_words(20)
    together, apart = runtime.begin(rows, told), [runtime.begin([row], told) for row in rows]
    last = np.full(20, BOS_ID)
    for _ in range(4):
        together, coming = runtime.step(together, last)
        scores = coming.all()
        for row in range(20):
            apart[row], alone = runtime.step(apart[row], last[row : row + 1])
            width = apart[row].width
            assert np.allclose(scores[row, :width], alone.all()[0], atol=1e-5)
            assert (scores[row, width:] == -np.inf).all()
        best = scores.argmax(axis=1)
        last = np.where(best == EOS_ID, 7, best)


@pytest.mark.parametrize("name", MONOTONE_SHAPES)
def test_probabilities_of_the_next_word_never_exceed_one(name: str) -> None:
    runtime = runtime_of(small_monotone(MONOTONE_SHAPES[name], width=0.8))
    batch = random_batch(100)
    state, last = runtime.begin(typed_words(100), 0.3), np.full(100, BOS_ID)
    for place in range(4):
        state, coming = runtime.step(state, last)
        total = np.exp(coming.all().astype(np.float64)).sum(axis=1)
        assert (total <= 1 + 1e-5).all()
        assert total.mean() > 0.8
        last = batch.tokens[:, place].numpy().clip(max=29)


def test_only_the_next_keyword_can_be_said_past_the_vocabulary() -> None:
    runtime = runtime_of(small_monotone())
    state, coming = runtime.step(runtime.begin([["w35", "w36"]]), np.array([BOS_ID]))
    assert np.isfinite(coming.all()[0, [30, 31, EOS_ID]]).tolist() == [True, False, False]
    state, coming = runtime.step(state, np.array([30]))
    assert np.isfinite(coming.all()[0, [30, 31, EOS_ID]]).tolist() == [False, True, False]
    _, coming = runtime.step(state, np.array([31]))
    assert np.isfinite(coming.all()[0, [30, 31, EOS_ID]]).tolist() == [False, False, True]


def test_rows_can_be_taken_and_repeated() -> None:
    runtime = runtime_of(small_monotone())
    state, _ = runtime.step(runtime.begin([["w5"], ["w6", "w39"]]), np.array([BOS_ID, BOS_ID]))
    _, both = runtime.step(state, np.array([5, 7]))
    _, turned = runtime.step(state.take(np.array([1, 0, 1])), np.array([7, 5, 7]))
    assert np.allclose(turned.all(), both.all()[[1, 0, 1]], atol=1e-6)


def nats(runtime: MonotoneRuntime, state: MonotoneState, words: list[int]) -> list[float]:
    """What each of these words, said one after the other, costs after the first."""
    found = []
    for last, word in pairwise(words):
        state, coming = runtime.step(state, np.array([last]))
        found.append(-float(coming.of(np.array([word]))[0]))
    return found


@pytest.mark.parametrize("opening", [[7], [7, 8], [1, 9, 4, 10]])
@pytest.mark.parametrize("typed", [[], ["w5", "w6"], ["w5", "w39", "w5"]])
@pytest.mark.parametrize("name", MONOTONE_SHAPES)
def test_a_continuation_is_as_likely_as_that_part_of_the_whole_sentence(
    name: str, typed: list[str], opening: list[int]
) -> None:
    runtime = runtime_of(small_monotone(MONOTONE_SHAPES[name], width=0.8))
    begun = runtime.begin([typed], 0.4)
    rest = [11, *begun.keywords[0].tolist()]  # the keywords and the end mark
    whole = nats(runtime, begun, [BOS_ID, *opening, *rest])
    state, [last] = runtime.resume(begun, opening)
    part = nats(runtime, state, [last, *rest])
    assert np.isfinite(part).all()
    assert part == pytest.approx(whole[len(opening) :], abs=1e-5)


@pytest.mark.parametrize("opening", [[5], [7, 5], [5, 7], [5, 6], [5, 5, 5], [7, 5, 6, 9]])
def test_a_word_of_the_opening_that_is_the_next_keyword_does_not_count_as_placing_it(
    opening: list[int],
) -> None:
    runtime = runtime_of(small_monotone(width=0.8))
    rows = [["w5", "w6"], ["w5"], ["w6"]]
    state, last = runtime.resume(runtime.begin(rows), opening)
    state, coming = runtime.step(state, last)
    assert coming.keyword.tolist() == [5, 5, 6]
    assert np.isneginf(coming.of(np.full(3, EOS_ID))).all()
    state, coming = runtime.step(state, np.array([5, 5, 6]))
    assert coming.keyword.tolist() == [6, EOS_ID, EOS_ID]


def test_what_was_opened_with_still_matters() -> None:
    runtime = runtime_of(small_monotone(width=0.8))
    _, one = runtime.step(*runtime.resume(runtime.begin([["w5"]]), [7, 8]))
    _, other = runtime.step(*runtime.resume(runtime.begin([["w5"]]), [9, 8]))
    words = np.array([5])
    assert abs(float(one.of(words)[0]) - float(other.of(words)[0])) > 1e-3


def test_what_is_no_scheme_is_refused() -> None:
    model = monotone_folder_of(small_monotone())
    del model.tensors["decoder.place.weight"]
    with pytest.raises(TerselyError, match=r"decoder\.place\.weight"):
        MonotoneRuntime(model)
    with pytest.raises(TerselyError, match="shape"):
        MonotoneRuntime(ModelFolder("monotone", {}, model.tensors, model.vocabulary))
