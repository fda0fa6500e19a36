from itertools import product

import pytest
import torch
from torch.nn.functional import logsigmoid

from tersely.game.batches import Batch
from tersely.game.distilled.scheme import MonotoneScheme
from tersely.model.budget_features import decoder_features
from tersely.text.alignment import align
from tests.game.paper.test_decoder import torchs_own
from tests.game.small import random_batch
from tests.game.small_monotone import (
    MONOTONE_SHAPES,
    random_masks,
    small_monotone,
    small_monotone_shape,
)


def some_budgets(rows: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(4)
    budgets = 0.05 + 0.9 * torch.rand(rows, generator=generator, dtype=torch.float64)
    budgets[::3] = float("nan")
    return budgets


def brute_force(
    scheme: MonotoneScheme, keywords: list[int], sentence: list[int], told: torch.Tensor
) -> torch.Tensor:
    """log p of each token, step by step, from the equations, without any batching."""
    decoder, size = scheme.decoder, scheme.shape.vocabulary_size
    reader, writer = torchs_own(decoder.reader, bidirectional=True), torchs_own(decoder.lstm)
    wanted = [*keywords, 3]
    known = torch.tensor([[word if word < size else 1 for word in wanted]])
    reading = reader(decoder.embedding(known))[0][0]  # (keywords, reader)
    said, state, before, following = [], None, 2, 0
    for target in [*sentence, 3]:
        word = decoder.embedding(torch.tensor(before if before < size else 1))
        fed = torch.cat([word, reading[following], told])
        output, state = writer(fed[None, None], state)
        place = decoder.place(output[0])[0, 0]
        if target == wanted[following]:
            said.append(logsigmoid(place))
            following += 1
        else:
            generated = decoder.softmax(output[0], torch.tensor([target if target < size else 1]))
            said.append(logsigmoid(-place) + generated[0])
        before = target
    return torch.stack(said)


@pytest.mark.parametrize("name", MONOTONE_SHAPES)
@torch.no_grad()
def test_a_batch_is_scored_as_each_sentence_alone_would_be(name: str) -> None:
    scheme = small_monotone(MONOTONE_SHAPES[name], width=0.8)
    batch, budgets = random_batch(40, lexicon=33), some_budgets(40)
    keep = random_masks(batch)
    losses, placed = scheme.token_losses(batch, keep, budgets)
    told = torch.from_numpy(decoder_features(budgets.numpy(), keep.sum(dim=1).numpy()))
    assert torch.equal(placed.counts, keep.sum(dim=1) + 1)
    for row, length in enumerate(batch.lengths.tolist()):
        typed = batch.tokens[row][keep[row]].tolist()
        expected = brute_force(scheme, typed, batch.tokens[row, :length].tolist(), told[row])
        assert torch.allclose(-losses[row, : length + 1], expected, atol=1e-4)
        assert (losses[row, length + 1 :] == 0).all()


def every_sentence(keywords: list[int], longest: int) -> tuple[Batch, torch.Tensor]:
    """All that contain the keywords, of any id but the end mark's, masked leftmost."""
    words = (0, 1, 2, 4, 5, 6)
    found = [
        (sentence, places)
        for length in range(longest + 1)
        for sentence in product(words, repeat=length)
        if (places := align(keywords, sentence)) is not None
    ]
    tokens = torch.tensor([[*ids, *[0] * (longest - len(ids))] for ids, _ in found])
    keep = torch.tensor([[n in places for n in range(longest)] for _, places in found])
    return Batch(tokens, torch.tensor([len(ids) for ids, _ in found])), keep


@pytest.mark.parametrize("keywords", [[], [5], [6, 5], [5, 5]])
@torch.no_grad()
def test_probabilities_of_all_sentences_sum_to_one_at_most(keywords: list[int]) -> None:
    scheme = small_monotone(small_monotone_shape(vocabulary_size=7))
    scheme.decoder.place.bias.fill_(1.5)  # short sentences, so that few are left out
    batch, keep = every_sentence(keywords, longest=5)
    losses, _ = scheme.token_losses(batch, keep, torch.full((len(keep),), 0.5))
    total = float(torch.exp(-losses.sum(dim=1).double()).sum())
    assert 0.5 < total <= 1 + 1e-5


@pytest.mark.parametrize("name", MONOTONE_SHAPES)
def test_the_gradient_reaches_every_parameter(name: str) -> None:
    scheme = small_monotone(MONOTONE_SHAPES[name])
    batch = random_batch(60)
    losses, _ = scheme.token_losses(batch, random_masks(batch), some_budgets(60))
    losses.sum().backward()
    for parameter_name, parameter in scheme.decoder.named_parameters():
        assert parameter.grad is not None, parameter_name
        assert parameter.grad.isfinite().all(), parameter_name
        assert parameter.grad.any(), parameter_name


def test_where_all_is_kept_nothing_is_generated() -> None:
    scheme, batch = small_monotone(), random_batch(20)
    losses, placed = scheme.token_losses(
        batch, torch.ones(batch.tokens.shape, dtype=torch.bool), some_budgets(20)
    )
    losses.sum().backward()
    assert torch.equal(losses > 0, placed.here)
    assert losses.isfinite().all()
    assert scheme.decoder.place.weight.grad.any()
    assert all(parameter.grad is None for parameter in scheme.decoder.softmax.parameters())


@torch.no_grad()
def test_the_decoder_listens_to_the_budget() -> None:
    scheme, batch = small_monotone(), random_batch(20)
    one, other = (
        scheme.token_losses(batch, random_masks(batch), torch.full((20,), budget))[0]
        for budget in (0.5, float("nan"))
    )
    assert ((one - other).abs().sum(dim=1) > 1e-4).all()
