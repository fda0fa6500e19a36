"""Objectives: what a round of the game costs, and how λ moves.

    Linear(λ):       E[cost] + λ E[loss]                       (paper, equation 3)
    Constrained(ε):  min over q, p, max over λ ≥ 0 of
                     E[cost] + λ (E[loss] − ε)                 (paper, equation 5)

Cost is in tokens a sentence, loss in nats a token.
"""

from typing import Literal, Protocol

import torch
from torch import Tensor


class Objective(Protocol):
    """Weighs cost against loss."""

    @property
    def weight(self) -> float:
        """λ, in tokens for each nat per token."""

    def reward(self, cost_tokens: Tensor, loss_nats_a_token: Tensor) -> Tensor:
        """G(x, z) of each sentence (batch,); the smaller the better (paper, equation 7)."""

    def update(self, mean_loss_nats_a_token: float) -> None:
        """Let λ answer to the loss of a round."""

    def state(self) -> dict[str, float]:
        """What a checkpoint must keep."""

    def restore(self, state: dict[str, float]) -> None:
        """Take up where a checkpoint left off."""


class Linear:
    """A fixed λ."""

    def __init__(self, weight: float) -> None:
        self._weight = weight

    @property
    def weight(self) -> float:
        """λ."""
        return self._weight

    def reward(self, cost_tokens: Tensor, loss_nats_a_token: Tensor) -> Tensor:
        """Return cost + λ loss."""
        return cost_tokens + self._weight * loss_nats_a_token

    def update(self, mean_loss_nats_a_token: float) -> None:
        """Do nothing: λ is fixed."""

    def state(self) -> dict[str, float]:
        """Return λ, so that a checkpoint tells it."""
        return {"weight": self._weight}

    def restore(self, state: dict[str, float]) -> None:
        """Do nothing: λ comes from the config."""


class Constrained:
    """λ climbs while the loss is above ε and sinks while it is below; never under 0."""

    def __init__(
        self,
        *,
        epsilon: float,
        start: float,
        learning_rate: float,
        ascent: Literal["adam", "sgd"],
    ) -> None:
        self.epsilon = epsilon
        self._lambda = torch.nn.Parameter(torch.tensor(start, dtype=torch.float64))
        kinds = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD}
        self._optimizer = kinds[ascent]([self._lambda], lr=learning_rate, maximize=True)

    @property
    def weight(self) -> float:
        """λ."""
        return float(self._lambda.detach())

    def reward(self, cost_tokens: Tensor, loss_nats_a_token: Tensor) -> Tensor:
        """Return cost + λ (loss − ε)."""
        return cost_tokens + self.weight * (loss_nats_a_token - self.epsilon)

    def update(self, mean_loss_nats_a_token: float) -> None:
        """Step along the gradient of J in λ, which is E[loss] − ε."""
        self._lambda.grad = torch.tensor(mean_loss_nats_a_token - self.epsilon, dtype=torch.float64)
        self._optimizer.step()
        with torch.no_grad():
            self._lambda.clamp_(min=0.0)

    def state(self) -> dict[str, float]:
        """Return λ and, with Adam, its moments."""
        moments = self._optimizer.state.get(self._lambda, {})
        kept = {name: float(value) for name, value in moments.items() if value is not None}
        return {"weight": self.weight, **kept}

    def restore(self, state: dict[str, float]) -> None:
        """Set λ and its moments."""
        with torch.no_grad():
            self._lambda.fill_(state["weight"])
        for name, value in state.items():
            if name != "weight":
                dtype = torch.float32 if name == "step" else torch.float64
                self._optimizer.state[self._lambda][name] = torch.tensor(value, dtype=dtype)
