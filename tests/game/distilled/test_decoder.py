from itertools import product

import pytest
import torch
from torch.nn.functional import logsigmoid

from tersely.game.batch import Batch
from tersely.game.distilled.scheme import MonotoneScheme
from tersely.model.budget_features import decoder_features
from tersely.text.alignment import align
from tests.game.paper.test_decoder import torch_lstm
from tests.game.small import gradient, random_batch
from tests.game.small_monotone import (
    MONOTONE_SHAPES,
    random_masks,
    small_monotone,
    small_monotone_shape,
)


def random_budgets(rows: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(4)
    budgets = 0.05 + 0.9 * torch.rand(rows, generator=generator, dtype=torch.float64)
    budgets[::3] = float("nan")
    return budgets


def brute_force(
    scheme: MonotoneScheme, keywords: list[int], sentence: list[int], features: torch.Tensor
) -> torch.Tensor:
    """Compute log p of each token step by step from the equations, without batching."""
    decoder, size = scheme.decoder, scheme.shape.vocabulary_size
    reader, writer = torch_lstm(decoder.reader, bidirectional=True), torch_lstm(decoder.lstm)
    due = [*keywords, 3]
    known = torch.tensor([[word if word < size else 1 for word in due]])
    reader_states = reader(decoder.embedding(known))[0][0]  # (keywords, reader)
    log_probabilities, state, previous, index = [], None, 2, 0
    for target in [*sentence, 3]:
        word = decoder.embedding(torch.tensor(previous if previous < size else 1))
        inputs = torch.cat([word, reader_states[index], features])
        output, state = writer(inputs[None, None], state)
        place = decoder.place(output[0])[0, 0]
        if target == due[index]:
            log_probabilities.append(logsigmoid(place))
            index += 1
        else:
            generated = decoder.softmax(output[0], torch.tensor([target if target < size else 1]))
            log_probabilities.append(logsigmoid(-place) + generated[0])
        previous = target
    return torch.stack(log_probabilities)


@pytest.mark.parametrize("name", MONOTONE_SHAPES)
@torch.no_grad()
def test_a_batch_gets_the_same_scores_as_single_sentences(name: str) -> None:
    scheme = small_monotone(MONOTONE_SHAPES[name], width=0.8)
    batch, budgets = random_batch(40, lexicon=33), random_budgets(40)
    keep = random_masks(batch)
    losses, alignment = scheme.token_losses(batch, keep, budgets)
    features = torch.from_numpy(decoder_features(budgets.numpy(), keep.sum(dim=1).numpy()))
    assert torch.equal(alignment.counts, keep.sum(dim=1) + 1)
    for row, length in enumerate(batch.lengths.tolist()):
        typed = batch.tokens[row][keep[row]].tolist()
        expected = brute_force(scheme, typed, batch.tokens[row, :length].tolist(), features[row])
        assert torch.allclose(-losses[row, : length + 1], expected, atol=1e-4)
        assert (losses[row, length + 1 :] == 0).all()


def every_sentence(keywords: list[int], longest: int) -> tuple[Batch, torch.Tensor]:
    """All sentences of any id but the end mark's that contain the keywords, masked leftmost."""
    words = (0, 1, 2, 4, 5, 6)
    aligned = [
        (sentence, positions)
        for length in range(longest + 1)
        for sentence in product(words, repeat=length)
        if (positions := align(keywords, sentence)) is not None
    ]
    tokens = torch.tensor([[*ids, *[0] * (longest - len(ids))] for ids, _ in aligned])
    keep = torch.tensor([[n in positions for n in range(longest)] for _, positions in aligned])
    return Batch(tokens, torch.tensor([len(ids) for ids, _ in aligned])), keep


@pytest.mark.parametrize("keywords", [[], [5], [6, 5], [5, 5]])
@torch.no_grad()
def test_probabilities_of_all_sentences_sum_to_one_at_most(keywords: list[int]) -> None:
    scheme = small_monotone(small_monotone_shape(vocabulary_size=7))
    scheme.decoder.place.bias.fill_(
        1.5
    )  # short sentences, so that those enumerated have most of the mass
    batch, keep = every_sentence(keywords, longest=5)
    losses, _ = scheme.token_losses(batch, keep, torch.full((len(keep),), 0.5))
    total = float(torch.exp(-losses.sum(dim=1).double()).sum())
    assert 0.5 < total <= 1 + 1e-5


@pytest.mark.parametrize("name", MONOTONE_SHAPES)
def test_the_gradient_reaches_every_parameter(name: str) -> None:
    scheme = small_monotone(MONOTONE_SHAPES[name])
    batch = random_batch(60)
    losses, _ = scheme.token_losses(batch, random_masks(batch), random_budgets(60))
    torch.autograd.backward(losses.sum())
    for parameter_name, parameter in scheme.decoder.named_parameters():
        assert parameter.grad is not None, parameter_name
        assert parameter.grad.isfinite().all(), parameter_name
        assert parameter.grad.any(), parameter_name


def test_nothing_is_generated_where_all_tokens_are_kept() -> None:
    scheme, batch = small_monotone(), random_batch(20)
    losses, alignment = scheme.token_losses(
        batch, torch.ones(batch.tokens.shape, dtype=torch.bool), random_budgets(20)
    )
    torch.autograd.backward(losses.sum())
    assert torch.equal(losses > 0, alignment.is_placed)
    assert losses.isfinite().all()
    assert gradient(scheme.decoder.place.weight).any()
    assert all(parameter.grad is None for parameter in scheme.decoder.softmax.parameters())


@torch.no_grad()
def test_the_budget_changes_the_loss() -> None:
    scheme, batch = small_monotone(), random_batch(20)
    with_budget, without = (
        scheme.token_losses(batch, random_masks(batch), torch.full((20,), budget))[0]
        for budget in (0.5, float("nan"))
    )
    assert ((with_budget - without).abs().sum(dim=1) > 1e-4).all()
