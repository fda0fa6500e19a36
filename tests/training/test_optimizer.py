from itertools import pairwise

import pytest
import torch
from torch import nn

from tersely.training.config import TrainingConfig
from tersely.training.optimizer import (
    build_optimizer,
    clip_gradients,
    learning_rate_factor,
    scale_learning_rates,
)
from tests.game.small import gradient, random_batch, small_scheme


def optimizer_of(scheme: nn.Module, config: TrainingConfig) -> torch.optim.Adam:
    encoder, decoder = scheme.get_submodule("encoder"), scheme.get_submodule("decoder")
    return build_optimizer(config, encoder=encoder, decoder=decoder)


def factors(config: TrainingConfig) -> list[float]:
    return [learning_rate_factor(step, config) for step in range(config.max_steps + 1)]


def test_encoder_and_decoder_have_their_own_rates_and_every_parameter_is_trained() -> None:
    scheme = small_scheme()
    config = TrainingConfig(learning_rate=0.01, encoder_learning_rate=0.002)
    optimizer = optimizer_of(scheme, config)
    assert [group["lr"] for group in optimizer.param_groups] == [0.002, 0.01]
    assert [group["params"] for group in optimizer.param_groups] == [
        list(scheme.encoder.parameters()),
        list(scheme.decoder.parameters()),
    ]
    ids = [id(parameter) for group in optimizer.param_groups for parameter in group["params"]]
    assert sorted(ids) == sorted(id(parameter) for parameter in scheme.parameters())
    equal_rates = optimizer_of(scheme, TrainingConfig())
    assert [group["lr"] for group in equal_rates.param_groups] == [0.001, 0.001]


def test_gradients_of_encoder_and_decoder_are_clipped_separately() -> None:
    scheme, batch = small_scheme(), random_batch(10)
    optimizer = optimizer_of(scheme, TrainingConfig())
    logits = scheme.encoder(batch.tokens, batch.lengths)
    loss = scheme.total_loss(batch, torch.zeros(batch.tokens.shape, dtype=torch.bool)).sum()
    torch.autograd.backward(loss + 1e-6 * logits.sum())
    clip_gradients(optimizer, 0.5)
    norms = [
        float(torch.cat([gradient(parameter).flatten() for parameter in side.parameters()]).norm())
        for side in (scheme.encoder, scheme.decoder)
    ]
    assert 0 < norms[0] < 1e-3
    assert norms[1] == pytest.approx(0.5, rel=1e-3)


def test_a_constant_rate_stays() -> None:
    assert factors(TrainingConfig(max_steps=50)) == [1.0] * 51


def test_a_linear_rate_falls_evenly_to_zero() -> None:
    rates = factors(TrainingConfig(schedule="linear", max_steps=50))
    assert (rates[0], rates[25], rates[50]) == pytest.approx((1.0, 0.5, 0.0))
    assert all(late - early == pytest.approx(-0.02) for early, late in pairwise(rates))


def test_a_linear_rate_is_never_negative() -> None:
    assert learning_rate_factor(60, TrainingConfig(schedule="linear", max_steps=50)) == 0.0


def test_the_rate_rises_step_by_step_during_warmup() -> None:
    rates = factors(TrainingConfig(warmup_steps=4, max_steps=10))
    assert rates == pytest.approx([0.25, 0.5, 0.75, *[1.0] * 8])


def test_a_linear_rate_can_warm_up_too() -> None:
    rates = factors(TrainingConfig(schedule="linear", warmup_steps=4, max_steps=10))
    assert rates[:5] == pytest.approx([0.25, 0.5 * 0.9, 0.75 * 0.8, 0.7, 0.6])
    assert rates[-1] == 0.0


def test_each_group_keeps_its_own_rate() -> None:
    groups = [
        {"params": [nn.Parameter(torch.zeros(1))], "lr": rate, "initial_lr": rate}
        for rate in (0.1, 0.02)
    ]
    optimizer = torch.optim.SGD(groups)
    for factor in (0.5, 0.25):
        scale_learning_rates(optimizer, factor)
        rates = [group["lr"] for group in optimizer.param_groups]
        assert rates == pytest.approx([0.1 * factor, 0.02 * factor])
