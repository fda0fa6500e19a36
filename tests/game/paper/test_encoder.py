import pytest
import torch

from tests.game.small import random_batch, small_scheme


@torch.no_grad()
def test_later_tokens_do_not_change_a_keep_probability() -> None:
    scheme = small_scheme()
    batch = random_batch(20)
    whole = scheme.encoder(batch.tokens, batch.lengths)
    for row, length in enumerate(batch.lengths.tolist()):
        for end in range(1, length + 1):
            part = scheme.encoder(batch.tokens[row : row + 1, :end], torch.tensor([end]))
            assert torch.allclose(part[0], whole[row, :end], atol=1e-5)


@torch.no_grad()
def test_an_untrained_encoder_keeps_the_configured_share() -> None:
    scheme = small_scheme(width=0.01)
    scheme.encoder.set_keep_probability(0.9)
    batch = random_batch(50)
    probabilities = scheme.encoder(batch.tokens, batch.lengths).sigmoid()
    assert float(probabilities[:, 0].mean()) == pytest.approx(0.9, abs=0.01)
