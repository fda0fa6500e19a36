import pytest
import torch

from tersely.game.distilled.encoder import SurprisalEncoder
from tersely.model.budget_features import encoder_features
from tests.game.paper.test_decoder import torch_lstm
from tests.game.small import random_batch
from tests.game.small_monotone import small_monotone


@pytest.fixture(scope="module")
def encoder() -> SurprisalEncoder:
    return small_monotone(width=0.8).encoder


def features(rows: int, budget: float = 0.4) -> torch.Tensor:
    return torch.from_numpy(encoder_features([budget] * rows))


@torch.no_grad()
def test_a_batch_gets_the_same_costs_as_single_sentences(encoder: SurprisalEncoder) -> None:
    batch = random_batch(30)
    budgets = torch.rand(30, generator=torch.Generator().manual_seed(3))
    budget_features = torch.from_numpy(encoder_features(budgets.numpy()))
    predicted_losses = encoder(batch.tokens, batch.lengths, budget_features)
    assert predicted_losses.shape == (*batch.tokens.shape, 2)
    lstm = torch_lstm(encoder.lstm, bidirectional=True)
    for row, length in enumerate(batch.lengths.tolist()):
        tokens = batch.tokens[row, :length]
        vectors = encoder.embedding(tokens.masked_fill(tokens >= 30, 1))
        states, _ = lstm(torch.cat([vectors, budget_features[row].expand(length, -1)], dim=1)[None])
        assert torch.allclose(predicted_losses[row, :length], encoder.costs(states[0]), atol=1e-5)


@torch.no_grad()
def test_padding_does_not_change_the_costs(encoder: SurprisalEncoder) -> None:
    batch = random_batch(20)
    wider = torch.cat([batch.tokens, torch.full((20, 3), 9)], dim=1)
    predicted_losses = encoder(batch.tokens, batch.lengths, features(20))
    padded = encoder(wider, batch.lengths, features(20))
    assert torch.allclose(padded[:, :-3], predicted_losses, atol=1e-6)
    assert not padded[:, -3:].any()


@torch.no_grad()
def test_the_budget_changes_every_cost(encoder: SurprisalEncoder) -> None:
    tokens, lengths = torch.tensor([[5, 6, 7]]), torch.tensor([3])
    low, high = (encoder(tokens, lengths, features(1, budget)) for budget in (0.2, 0.8))
    assert ((low - high).abs() > 1e-5).all()


@torch.no_grad()
@pytest.mark.parametrize(("changed", "observed"), [(3, 0), (0, 3)])
def test_costs_depend_on_tokens_of_both_sides(
    encoder: SurprisalEncoder, changed: int, observed: int
) -> None:
    tokens, lengths = torch.tensor([[5, 6, 7, 8]]), torch.tensor([4])
    other = tokens.clone()
    other[0, changed] = 20
    before, after = (encoder(ids, lengths, features(1))[0, observed] for ids in (tokens, other))
    assert ((before - after).abs() > 1e-6).all()
