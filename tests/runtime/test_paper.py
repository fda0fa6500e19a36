import numpy as np
import pytest
import torch

from tersely.decoding.scoring import total_nll
from tersely.errors import TerselyError
from tersely.game.paper.scheme import Scheme
from tersely.model.folder import ModelFolder
from tersely.runtime.paper import Runtime
from tersely.text.keywords import keywords
from tersely.text.vocabulary import BOS_ID, EOS_ID, SPECIAL_TOKENS, Vocabulary
from tests.game.small import SHAPES, random_batch, small_scheme

LEXICON = [*SPECIAL_TOKENS, *(f"w{n}" for n in range(len(SPECIAL_TOKENS), 40))]


def folder_of(scheme: Scheme) -> ModelFolder:
    return ModelFolder(
        architecture="paper",
        settings={"shape": scheme.shape.as_settings(), "encoder": {"kind": "learned"}},
        tensors={name: tensor.numpy() for name, tensor in scheme.state_dict().items()},
        vocabulary=Vocabulary(LEXICON[: scheme.shape.vocabulary_size]),
    )


def drawn(rows: int) -> tuple:
    batch = random_batch(rows)
    keep = torch.rand(batch.tokens.shape, generator=torch.Generator().manual_seed(2)) < 0.5
    sentences = [
        [LEXICON[token] for token in row[:length]]
        for row, length in zip(batch.tokens.tolist(), batch.lengths.tolist(), strict=True)
    ]
    typed = [
        keywords(tokens, mask[: len(tokens)])
        for tokens, mask in zip(sentences, keep.tolist(), strict=True)
    ]
    return batch, keep, sentences, typed


@pytest.mark.promise(10)
@pytest.mark.parametrize("name", SHAPES)
@torch.no_grad()
def test_numpy_and_torch_give_sentences_the_same_probability(name: str) -> None:
    scheme = small_scheme(SHAPES[name])
    batch, keep, sentences, typed = drawn(1000)
    ours = total_nll(Runtime(folder_of(scheme)), typed, sentences)
    theirs = scheme.total_loss(batch, keep).numpy()
    assert np.abs(ours - theirs).max() < 1e-4


@pytest.mark.promise(10)
@pytest.mark.parametrize("name", ["paper", "adaptive"])
@torch.no_grad()
def test_numpy_and_torch_keep_the_same_tokens(name: str) -> None:
    scheme = small_scheme(SHAPES[name])
    batch, _, sentences, _ = drawn(1000)
    ours = Runtime(folder_of(scheme)).keep_probabilities(sentences)
    theirs = scheme.encoder(batch.tokens, batch.lengths).sigmoid()
    for row, (mine, length) in enumerate(zip(ours, batch.lengths.tolist(), strict=True)):
        assert np.abs(mine - theirs[row, :length].numpy()).max() < 1e-5


@pytest.mark.parametrize("name", SHAPES)
def test_probabilities_of_the_next_word_sum_to_one(name: str) -> None:
    runtime = Runtime(folder_of(small_scheme(SHAPES[name])))
    _, _, _, typed = drawn(20)
    typed = [row for row in typed if row or SHAPES[name].end_mark_in_keywords]
    state = runtime.begin(typed)
    _, coming = runtime.step(state, np.full(len(typed), 2))
    assert np.allclose(np.exp(coming.all().astype(np.float64)).sum(axis=1), 1, atol=1e-5)


def test_rows_can_be_taken_and_repeated() -> None:
    runtime = Runtime(folder_of(small_scheme()))
    state = runtime.begin([["w5"], ["w6", "w39"]])
    _, both = runtime.step(state, np.array([2, 2]))
    _, turned = runtime.step(state.take(np.array([1, 0, 1])), np.array([2, 2, 2]))
    assert np.allclose(turned.all(), both.all()[[1, 0, 1]], atol=1e-6)


@pytest.mark.parametrize("opening", [[7], [7, 8], [5, 6, 5], [1, 9, 4, 10]])
@pytest.mark.parametrize("name", SHAPES)
def test_a_continuation_is_as_likely_as_that_part_of_the_whole_sentence(
    name: str, opening: list[int]
) -> None:
    runtime = Runtime(folder_of(small_scheme(SHAPES[name])))
    typed = [["w5", "w6"], ["w39"]]
    rest = [11, 5, 6, 30, EOS_ID]  # 30 is w39, which only the second row can say
    state, whole = runtime.begin(typed), np.zeros(2)
    for place, word in enumerate([BOS_ID, *opening, *rest[:-1]]):
        state, coming = runtime.step(state, np.full(2, word))
        if place >= len(opening):
            whole += coming.of(np.full(2, rest[place - len(opening)]))
    state, last = runtime.resume(runtime.begin(typed), opening)
    part = np.zeros(2)
    for word in rest:
        state, coming = runtime.step(state, last)
        part += coming.of(np.full(2, word))
        last = np.full(2, word)
    assert np.isneginf(part[0])
    assert part[1] == pytest.approx(whole[1], abs=1e-5)


def test_what_is_no_scheme_is_refused() -> None:
    model = folder_of(small_scheme())
    del model.tensors["decoder.attend.weight"]
    with pytest.raises(TerselyError, match=r"decoder\.attend\.weight"):
        Runtime(model)
    with pytest.raises(TerselyError, match="shape"):
        Runtime(ModelFolder("paper", {}, model.tensors, model.vocabulary))
