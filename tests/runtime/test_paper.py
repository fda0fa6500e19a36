from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
import torch

from tersely.decoding.scoring import total_nll
from tersely.errors import TerselyError
from tersely.game.batch import Batch
from tersely.game.paper.scheme import PaperScheme
from tersely.model.folder import ModelFolder
from tersely.runtime.paper import PaperRuntime
from tersely.text.keywords import keywords
from tersely.text.vocabulary import BOS_ID, EOS_ID, SPECIAL_TOKENS, Vocabulary
from tests.game.small import SHAPES, random_batch, small_scheme

LEXICON = [*SPECIAL_TOKENS, *(f"w{n}" for n in range(len(SPECIAL_TOKENS), 40))]


def folder_of(scheme: PaperScheme) -> ModelFolder:
    return ModelFolder(
        architecture="paper",
        settings={"shape": scheme.shape.as_settings(), "encoder": {"kind": "learned"}},
        tensors={name: tensor.numpy() for name, tensor in scheme.state_dict().items()},
        vocabulary=Vocabulary(LEXICON[: scheme.shape.vocabulary_size]),
    )


class Sentences(NamedTuple):
    """Random sentences as a batch of ids, and as words with their keywords."""

    batch: Batch
    keep: torch.Tensor
    tokens: list[list[str]]
    typed: list[list[str]]


def draw_sentences(rows: int) -> Sentences:
    batch = random_batch(rows)
    keep = torch.rand(batch.tokens.shape, generator=torch.Generator().manual_seed(2)) < 0.5
    tokens = [
        [LEXICON[token] for token in row[:length]]
        for row, length in zip(batch.tokens.tolist(), batch.lengths.tolist(), strict=True)
    ]
    typed = [
        keywords(sentence, mask[: len(sentence)])
        for sentence, mask in zip(tokens, keep.tolist(), strict=True)
    ]
    return Sentences(batch, keep, tokens, typed)


@pytest.mark.promise(10)
@pytest.mark.parametrize("name", SHAPES)
@torch.no_grad()
def test_numpy_and_torch_agree_on_the_loss_of_sentences(name: str) -> None:
    scheme = small_scheme(SHAPES[name])
    batch, keep, sentences, typed = draw_sentences(1000)
    ours = total_nll(PaperRuntime(folder_of(scheme)), typed, sentences)
    theirs = scheme.total_loss(batch, keep).numpy()
    assert np.abs(ours - theirs).max() < 1e-4


@pytest.mark.promise(10)
@pytest.mark.parametrize("name", ["paper", "adaptive"])
@torch.no_grad()
def test_numpy_and_torch_agree_on_keep_probabilities(name: str) -> None:
    scheme = small_scheme(SHAPES[name])
    batch, _, sentences, _ = draw_sentences(1000)
    ours = PaperRuntime(folder_of(scheme)).keep_probabilities(sentences)
    theirs = scheme.encoder(batch.tokens, batch.lengths).sigmoid()
    for row, (mine, length) in enumerate(zip(ours, batch.lengths.tolist(), strict=True)):
        assert np.abs(mine - theirs[row, :length].numpy()).max() < 1e-5


@pytest.mark.parametrize("name", SHAPES)
def test_probabilities_of_the_next_token_sum_to_one(name: str) -> None:
    runtime = PaperRuntime(folder_of(small_scheme(SHAPES[name])))
    _, _, _, typed = draw_sentences(20)
    typed = [row for row in typed if row or SHAPES[name].end_mark_in_keywords]
    state = runtime.begin(typed)
    _, next_token = runtime.step(state, np.full(len(typed), 2))
    assert np.allclose(np.exp(next_token.log_probs().astype(np.float64)).sum(axis=1), 1, atol=1e-5)


def test_rows_of_a_state_can_be_reordered_and_repeated() -> None:
    runtime = PaperRuntime(folder_of(small_scheme()))
    state = runtime.begin([["w5"], ["w6", "w39"]])
    _, both = runtime.step(state, np.array([2, 2]))
    _, reordered = runtime.step(state.take(np.array([1, 0, 1])), np.array([2, 2, 2]))
    assert np.allclose(reordered.log_probs(), both.log_probs()[[1, 0, 1]], atol=1e-6)


@pytest.mark.parametrize("context_ids", [[7], [7, 8], [5, 6, 5], [1, 9, 4, 10]])
@pytest.mark.parametrize("name", SHAPES)
def test_a_continuation_of_a_context_is_as_likely_as_within_the_whole_sentence(
    name: str, context_ids: list[int]
) -> None:
    runtime = PaperRuntime(folder_of(small_scheme(SHAPES[name])))
    typed = [["w5", "w6"], ["w39"]]
    rest = [11, 5, 6, 30, EOS_ID]  # 30 is w39, which only the second row can copy
    state, whole = runtime.begin(typed), np.zeros(2)
    for place, word in enumerate([BOS_ID, *context_ids, *rest[:-1]]):
        state, next_token = runtime.step(state, np.full(2, word))
        if place >= len(context_ids):
            whole += next_token.log_prob(np.full(2, rest[place - len(context_ids)]))
    state, last = runtime.prefill(runtime.begin(typed), context_ids)
    part = np.zeros(2)
    for word in rest:
        state, next_token = runtime.step(state, last)
        part += next_token.log_prob(np.full(2, word))
        last = np.full(2, word)
    assert np.isneginf(part[0])
    assert part[1] == pytest.approx(whole[1], abs=1e-5)


def test_a_model_without_its_tensors_or_its_shape_is_refused() -> None:
    model = folder_of(small_scheme())
    fewer = {name: model.tensors[name] for name in model.tensors if "attend" not in name}
    with pytest.raises(TerselyError, match=r"decoder\.attend\.weight is missing"):
        PaperRuntime(replace(model, tensors=fewer))
    with pytest.raises(TerselyError, match="shape"):
        PaperRuntime(replace(model, settings={}))
