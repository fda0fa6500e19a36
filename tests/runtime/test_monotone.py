import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from tersely.decoding.beam import BeamOptions, beam_search
from tersely.decoding.constraints import KeywordConstraint
from tersely.decoding.greedy import greedy
from tersely.decoding.scoring import total_nll
from tersely.errors import TerselyError
from tersely.game.batch import Batch
from tersely.game.distilled.scheme import MonotoneScheme
from tersely.model.budget_features import DecoderBudget
from tersely.model.quantization import Tensor, dequantize, quantize
from tersely.runtime.monotone import MonotoneRuntime, MonotoneState
from tersely.text.alignment import align
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
def test_numpy_and_torch_agree_on_the_loss_of_sentences(name: str, budget: float | None) -> None:
    scheme = small_monotone(MONOTONE_SHAPES[name], width=0.8)
    batch = random_batch(500)
    keep = random_masks(batch)
    given = None if budget is None else DecoderBudget(budget)
    ours = total_nll(runtime_of(scheme), words_of(batch, keep), words_of(batch), budget=given)
    budgets = torch.full((500,), math.nan if budget is None else budget, dtype=torch.float64)
    theirs = scheme.token_losses(batch, keep, budgets)[0].sum(dim=1).numpy()
    assert np.abs(ours - theirs).max() < 1e-4


@pytest.mark.promise(10)
@pytest.mark.parametrize("budget", [0.05, 0.4, 1.0])
@torch.no_grad()
def test_numpy_and_torch_agree_on_costs(budget: float) -> None:
    scheme = small_monotone(width=0.8)
    batch = random_batch(500)
    ours = runtime_of(scheme).predict_losses(words_of(batch), budget)
    theirs = scheme.predict_losses(batch, torch.full((500,), budget)).numpy()
    for mine, row, length in zip(ours, theirs, batch.lengths.tolist(), strict=True):
        assert mine.shape == (length, 2)
        assert np.abs(mine - row[:length]).max() < 1e-4


@pytest.mark.promise(10)
@torch.no_grad()
def test_a_second_occurrence_of_an_unknown_keyword_is_as_likely_as_any_unknown_word() -> None:
    scheme, batch = small_monotone(), Batch(torch.tensor([[35, 5, 6, 35]]), torch.tensor([4]))
    keep = torch.tensor([[True, False, False, False]])
    ours = total_nll(runtime_of(scheme), words_of(batch, keep), words_of(batch))
    theirs = scheme.token_losses(batch, keep, torch.tensor([math.nan]))[0].sum()
    assert ours[0] == pytest.approx(float(theirs), abs=1e-4)


def test_an_empty_sentence_has_no_costs() -> None:
    empty, other = runtime_of(small_monotone()).predict_losses([[], ["w7"]], 0.4)
    assert (empty.shape, other.shape) == ((0, 2), (1, 2))


@pytest.mark.parametrize("enforce", [False, True])
@pytest.mark.parametrize(("seed", "width"), [(1, 0.1), (2, 0.5), (3, 1.0), (4, 2.0)])
def test_sentences_of_beam_search_contain_their_keywords_in_order(
    seed: int, width: float, enforce: bool
) -> None:
    runtime = runtime_of(small_monotone(seed=seed, width=width))
    state = runtime.begin(typed_words(15, seed=seed))
    keywords = [row[: row.index(EOS_ID)] for row in state.keywords.tolist()]
    beam = BeamOptions(width=3, max_tokens=12, extra_tokens=3, enforce_keywords=enforce)
    found = beam_search(runtime.step, state, [KeywordConstraint(row) for row in keywords], beam)
    sentences = [(one.ids, row) for row, ones in zip(keywords, found, strict=True) for one in ones]
    assert len(sentences) > 15
    assert any(row and len(ids) > len(row) for ids, row in sentences)
    assert all(align(row, ids) is not None for ids, row in sentences)


@pytest.mark.parametrize(("seed", "width"), [(1, 0.1), (2, 0.5), (3, 1.0), (4, 2.0)])
def test_sentences_that_greedy_decoding_ends_contain_their_keywords_in_order(
    seed: int, width: float
) -> None:
    runtime = runtime_of(small_monotone(seed=seed, width=width))
    state = runtime.begin(typed_words(60, seed=seed))
    found = greedy(runtime.step, state, rows=60, max_tokens=20)
    ended = [
        (one, row)
        for one, row in zip(found, state.keywords.tolist(), strict=True)
        if one.log_prob > -math.inf
    ]
    assert len(ended) > 20
    for one, row in ended:
        assert align(row[: row.index(EOS_ID)], one.ids) is not None


@pytest.mark.parametrize("budget", [None, DecoderBudget(0.4), DecoderBudget(0.2, on_average=True)])
def test_a_row_gets_the_same_distribution_in_any_batch(budget: DecoderBudget | None) -> None:
    runtime = runtime_of(small_monotone(width=0.8))
    rows = typed_words(20)
    together = runtime.begin(rows, budget)
    apart = [runtime.begin([row], budget) for row in rows]
    last = np.full(20, BOS_ID)
    for _ in range(4):
        together, next_token = runtime.step(together, last)
        scores = next_token.log_probs()
        for row in range(20):
            apart[row], alone = runtime.step(apart[row], last[row : row + 1])
            size = apart[row].extended_vocabulary_size
            assert np.allclose(scores[row, :size], alone.log_probs()[0], atol=1e-5)
            assert (scores[row, size:] == -np.inf).all()
        best = scores.argmax(axis=1)
        last = np.where(best == EOS_ID, 7, best)


@pytest.mark.parametrize("name", MONOTONE_SHAPES)
def test_probabilities_of_the_next_token_sum_to_at_most_one(name: str) -> None:
    runtime = runtime_of(small_monotone(MONOTONE_SHAPES[name], width=0.8))
    batch = random_batch(100)
    state, last = runtime.begin(typed_words(100), DecoderBudget(0.3)), np.full(100, BOS_ID)
    for place in range(4):
        state, next_token = runtime.step(state, last)
        total = np.exp(next_token.log_probs().astype(np.float64)).sum(axis=1)
        assert (total <= 1 + 1e-5).all()
        assert total.mean() > 0.8
        last = batch.tokens[:, place].numpy().clip(max=29)


def test_of_unknown_keywords_only_the_next_one_is_possible() -> None:
    runtime = runtime_of(small_monotone())
    state, next_token = runtime.step(runtime.begin([["w35", "w36"]]), np.array([BOS_ID]))
    assert np.isfinite(next_token.log_probs()[0, [30, 31, EOS_ID]]).tolist() == [True, False, False]
    state, next_token = runtime.step(state, np.array([30]))
    assert np.isfinite(next_token.log_probs()[0, [30, 31, EOS_ID]]).tolist() == [False, True, False]
    _, next_token = runtime.step(state, np.array([31]))
    assert np.isfinite(next_token.log_probs()[0, [30, 31, EOS_ID]]).tolist() == [False, False, True]


def test_rows_of_a_state_can_be_reordered_and_repeated() -> None:
    runtime = runtime_of(small_monotone())
    state, _ = runtime.step(runtime.begin([["w5"], ["w6", "w39"]]), np.array([BOS_ID, BOS_ID]))
    _, both = runtime.step(state, np.array([5, 7]))
    _, reordered = runtime.step(state.take(np.array([1, 0, 1])), np.array([7, 5, 7]))
    assert np.allclose(reordered.log_probs(), both.log_probs()[[1, 0, 1]], atol=1e-6)


def nats(runtime: MonotoneRuntime, state: MonotoneState, tokens: list[int]) -> list[float]:
    """Return the loss of each token after the first, in nats."""
    losses = []
    for last, token in pairwise(tokens):
        state, next_token = runtime.step(state, np.array([last]))
        losses.append(-float(next_token.log_prob(np.array([token]))[0]))
    return losses


@pytest.mark.parametrize("context_ids", [[7], [7, 8], [1, 9, 4, 10]])
@pytest.mark.parametrize("typed", [[], ["w5", "w6"], ["w5", "w39", "w5"]])
@pytest.mark.parametrize("name", MONOTONE_SHAPES)
def test_a_continuation_of_a_context_is_as_likely_as_within_the_whole_sentence(
    name: str, typed: list[str], context_ids: list[int]
) -> None:
    runtime = runtime_of(small_monotone(MONOTONE_SHAPES[name], width=0.8))
    begun = runtime.begin([typed], DecoderBudget(0.4))
    rest = [11, *begun.keywords[0].tolist()]  # the keywords and the end mark
    whole = nats(runtime, begun, [BOS_ID, *context_ids, *rest])
    state, [last] = runtime.prefill(begun, context_ids)
    part = nats(runtime, state, [last, *rest])
    assert np.isfinite(part).all()
    assert part == pytest.approx(whole[len(context_ids) :], abs=1e-5)


@pytest.mark.parametrize("context_ids", [[5], [7, 5], [5, 7], [5, 6], [5, 5, 5], [7, 5, 6, 9]])
def test_a_keyword_in_the_context_is_not_counted_as_placed(
    context_ids: list[int],
) -> None:
    runtime = runtime_of(small_monotone(width=0.8))
    rows = [["w5", "w6"], ["w5"], ["w6"]]
    state, last = runtime.prefill(runtime.begin(rows), context_ids)
    state, next_token = runtime.step(state, last)
    assert next_token.keyword.tolist() == [5, 5, 6]
    assert np.isneginf(next_token.log_prob(np.full(3, EOS_ID))).all()
    state, next_token = runtime.step(state, np.array([5, 5, 6]))
    assert next_token.keyword.tolist() == [6, EOS_ID, EOS_ID]


def test_the_context_changes_the_distribution() -> None:
    runtime = runtime_of(small_monotone(width=0.8))
    _, one = runtime.step(*runtime.prefill(runtime.begin([["w5"]]), [7, 8]))
    _, other = runtime.step(*runtime.prefill(runtime.begin([["w5"]]), [9, 8]))
    words = np.array([5])
    assert abs(float(one.log_prob(words)[0]) - float(other.log_prob(words)[0])) > 1e-3


def test_a_model_without_its_tensors_or_its_shape_is_refused() -> None:
    model = monotone_folder_of(small_monotone())
    fewer = {name: model.tensors[name] for name in model.tensors if "place.weight" not in name}
    with pytest.raises(TerselyError, match=r"decoder\.place\.weight is missing"):
        MonotoneRuntime(replace(model, tensors=fewer))
    with pytest.raises(TerselyError, match="shape"):
        MonotoneRuntime(replace(model, settings={}))


@pytest.mark.parametrize("name", MONOTONE_SHAPES)
def test_a_quantised_model_runs_as_if_it_were_dequantised(name: str) -> None:
    model = monotone_folder_of(small_monotone(MONOTONE_SHAPES[name], width=0.8))
    matrices = {key: dequantize(tensor) for key, tensor in model.tensors.items()}
    quantized: dict[str, Tensor] = {
        key: quantize(matrix) if matrix.ndim == 2 else matrix for key, matrix in matrices.items()
    }
    dequantized = {key: dequantize(tensor) for key, tensor in quantized.items()}
    sentences, typed = words_of(random_batch(100)), typed_words(100)
    losses = [
        total_nll(MonotoneRuntime(replace(model, tensors=tensors)), typed, sentences)
        for tensors in (quantized, dequantized)
    ]
    token_losses = [
        np.concatenate(
            MonotoneRuntime(replace(model, tensors=tensors)).predict_losses(sentences, 0.4)
        )
        for tensors in (quantized, dequantized)
    ]
    assert np.allclose(losses[0], losses[1], atol=2e-3)  # kernels may round activations
    assert np.allclose(token_losses[0], token_losses[1], atol=2e-3)
