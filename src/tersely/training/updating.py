"""Updating: what a round's gradient does to the parameters.

Adam moves all that every batch touches. A table of phrases is touched row by row, and rarely:
Adagrad moves it, which keeps for each entry how far it has been pulled so far, so that a row met
for the first time takes a whole step and one met often a small one. The rates of both follow one
schedule.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import Parameter
from torch.nn.utils import clip_grad_norm_

from tersely.game.monotone_scheme import MonotoneScheme
from tersely.training.checkpoint import moments_of, restore_moments
from tersely.training.config import TrainingConfig
from tersely.training.match import AnyScheme
from tersely.training.schedule import set_rates

PHRASES = "phrases."


@dataclass(frozen=True, slots=True)
class Updates:
    """The parameters of a scheme, and what moves them."""

    scheme: AnyScheme
    adam: torch.optim.Adam
    adagrad: torch.optim.Adagrad | None
    gradient_norm_limit: float | None

    @classmethod
    def of(cls, scheme: AnyScheme, config: TrainingConfig) -> "Updates":
        """Move every parameter of a scheme as the config says."""
        table = table_of(scheme)
        rate = config.phrase_learning_rate
        group = {"params": [table], "lr": rate, "initial_lr": rate}
        return cls(
            scheme=scheme,
            adam=build_adam(config, scheme),
            adagrad=None if table is None else torch.optim.Adagrad([group]),
            gradient_norm_limit=config.gradient_norm_limit,
        )

    def make(self, scalar: Tensor, factor: float) -> None:
        """Take one step down from a scalar, at so much of the rates."""
        optimizers = [one for one in (self.adam, self.adagrad) if one]
        for one in optimizers:
            one.zero_grad()
        scalar.backward()  # type: ignore[no-untyped-call]
        if self.gradient_norm_limit is not None:
            for parameters in sides(self.scheme):
                clip_grad_norm_(parameters, self.gradient_norm_limit)
        # torch warns until it is told that its own sparse gradients need no check.
        with torch.sparse.check_sparse_tensor_invariants(enable=False):  # type: ignore[no-untyped-call]
            for one in optimizers:
                set_rates(one, factor)
                one.step()

    def moments(self) -> dict[str, Tensor]:
        """What a checkpoint must keep."""
        own = moments_of(self.adagrad) if self.adagrad else {}
        named = {PHRASES + name: tensor for name, tensor in own.items()}
        return {**moments_of(self.adam), **named}

    def restore(self, moments: dict[str, Tensor]) -> None:
        """Put it back."""
        own = {name: tensor for name, tensor in moments.items() if name.startswith(PHRASES)}
        restore_moments(
            self.adam, {name: tensor for name, tensor in moments.items() if name not in own}
        )
        if self.adagrad:
            restore_moments(self.adagrad, {name.removeprefix(PHRASES): own[name] for name in own})


def build_adam(config: TrainingConfig, scheme: AnyScheme) -> torch.optim.Adam:
    """Adam over both sides; the rule schemes never touch the encoder."""
    rates = (config.encoder_learning_rate or config.learning_rate, config.learning_rate)
    groups: list[dict[str, Any]] = [
        {"params": parameters, "lr": rate, "initial_lr": rate}  # what a schedule scales
        for parameters, rate in zip(sides(scheme), rates, strict=True)
    ]
    return torch.optim.Adam(groups, fused=True)


def sides(scheme: AnyScheme) -> Iterator[list[Parameter]]:
    """The parameters of encoder and decoder, each for itself, but for a table of phrases."""
    yield list(scheme.encoder.parameters())
    table = table_of(scheme)
    yield [one for one in scheme.decoder.parameters() if one is not table]


def table_of(scheme: AnyScheme) -> Parameter | None:
    """The table of phrases, if there is one."""
    if not isinstance(scheme, MonotoneScheme) or scheme.decoder.phrases is None:
        return None
    table = scheme.decoder.phrases.table.weight
    assert isinstance(table, Parameter)
    return table
