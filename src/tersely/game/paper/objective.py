"""Objectives: how the encoder's cost (keywords) is weighed against the decoder's loss.

    Linear(λ):       min over q, p of  E[cost] + λ E[loss]            (paper, equation 3)
    Constrained(ε):  min over q, p, max over λ ≥ 0 of
                     E[cost] + λ (E[loss] − ε)                        (paper, equation 5)

Cost is in tokens per sentence, loss in nats per token. To add an objective, write a class with the
methods of `Objective`, add it to `OBJECTIVES` under the name that `objective.kind` gives it, and
add the settings it needs to `ObjectiveConfig`. Nothing else has to change.
"""

from dataclasses import dataclass
from typing import Literal, Protocol, Self

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectiveConfig:
    """What is minimised: the table [objective] of a config."""

    kind: str = "constrained"
    """A key of OBJECTIVES, a key of game/paper/rules.py's RULES, or "distilled"."""
    epsilon_nats_per_token: float = 0.5
    """Constrained: upper bound of the mean loss."""
    weight_tokens_per_nat: float = 5.0
    """λ: fixed for Linear, the initial value for Constrained."""
    weight_learning_rate: float = 0.01
    """Constrained: learning rate of λ."""
    weight_ascent: Literal["adam", "sgd"] = "adam"
    """Constrained: λ is updated by Adam, or by plain steps of rate × (loss − ε)."""
    delta: float = 0.5
    """Unif: share of tokens kept; Stopword: share of stop words kept."""
    stopword_drops_shift: bool = False
    """Stopword: treat case marks as stop words."""
    stopword_drops_punctuation: bool = False
    """Stopword: treat punctuation as stop words."""
    decoder_gradient: Literal["scaled_by_weight", "unscaled"] = "scaled_by_weight"
    """Whether the decoder's loss is multiplied by λ, as in the objective."""


class Objective(Protocol):
    """Weighs cost against loss for an encoder that is trained by REINFORCE."""

    @classmethod
    def from_config(cls, config: ObjectiveConfig) -> Self:
        """Build the objective from the settings it needs."""

    @staticmethod
    def title(config: ObjectiveConfig) -> str:
        """Return the name that the paper gives to a scheme with this objective."""

    @property
    def multiplier(self) -> float:
        """λ, in tokens for each nat per token."""

    def penalised_costs(self, cost_tokens: Tensor, loss_nats_per_token: Tensor) -> Tensor:
        """Return G(x, z) of each sentence (batch,), to be minimised (paper, equation 7)."""

    def update(self, mean_loss_nats_per_token: float) -> None:
        """Update λ after a training step with this mean loss."""

    def state_dict(self) -> dict[str, float]:
        """Return the state that a checkpoint keeps."""

    def load_state_dict(self, state: dict[str, float]) -> None:
        """Restore the state of a checkpoint."""


class Linear:
    """Cost plus λ times loss, for a fixed λ (paper, equation 3)."""

    def __init__(self, multiplier: float) -> None:
        self._multiplier = multiplier

    @classmethod
    def from_config(cls, config: ObjectiveConfig) -> Self:
        """Read λ."""
        return cls(config.weight_tokens_per_nat)

    @staticmethod
    def title(config: ObjectiveConfig) -> str:
        """Return "Linear(λ=…)"."""
        return f"Linear(λ={config.weight_tokens_per_nat:g})"

    @property
    def multiplier(self) -> float:
        """λ."""
        return self._multiplier

    def penalised_costs(self, cost_tokens: Tensor, loss_nats_per_token: Tensor) -> Tensor:
        """Return cost + λ loss."""
        return cost_tokens + self._multiplier * loss_nats_per_token

    def update(self, mean_loss_nats_per_token: float) -> None:
        """Do nothing: λ is fixed."""

    def state_dict(self) -> dict[str, float]:
        """Return λ, for the record."""
        return {"weight": self._multiplier}

    def load_state_dict(self, state: dict[str, float]) -> None:
        """Do nothing: λ comes from the config."""


class Constrained:
    """The smallest cost whose mean loss is at most ε; λ is learned (paper, equation 5)."""

    def __init__(
        self,
        *,
        epsilon: float,
        initial_multiplier: float,
        learning_rate: float,
        ascent: Literal["adam", "sgd"],
    ) -> None:
        self.epsilon = epsilon
        self._lambda = torch.nn.Parameter(torch.tensor(initial_multiplier, dtype=torch.float64))
        optimizers = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD}
        self._optimizer = optimizers[ascent]([self._lambda], lr=learning_rate, maximize=True)

    @classmethod
    def from_config(cls, config: ObjectiveConfig) -> Self:
        """Read ε and how λ is initialized and updated."""
        return cls(
            epsilon=config.epsilon_nats_per_token,
            initial_multiplier=config.weight_tokens_per_nat,
            learning_rate=config.weight_learning_rate,
            ascent=config.weight_ascent,
        )

    @staticmethod
    def title(config: ObjectiveConfig) -> str:
        """Return "Constrained(ε=…)"."""
        return f"Constrained(ε={config.epsilon_nats_per_token:g})"

    @property
    def multiplier(self) -> float:
        """λ."""
        return float(self._lambda.detach())

    def penalised_costs(self, cost_tokens: Tensor, loss_nats_per_token: Tensor) -> Tensor:
        """Return cost + λ (loss − ε)."""
        return cost_tokens + self.multiplier * (loss_nats_per_token - self.epsilon)

    def update(self, mean_loss_nats_per_token: float) -> None:
        """Take a gradient ascent step in λ, then project it to λ ≥ 0.

        The gradient of the objective (paper, equation 5) in λ is E[loss] − ε: λ rises while the
        loss is above ε and falls while it is below.
        """
        self._lambda.grad = torch.tensor(
            mean_loss_nats_per_token - self.epsilon, dtype=torch.float64
        )
        self._optimizer.step()
        with torch.no_grad():
            self._lambda.clamp_(min=0.0)

    def state_dict(self) -> dict[str, float]:
        """Return λ and, with Adam, its moments."""
        moments = self._optimizer.state.get(self._lambda, {})
        scalars = {name: float(value) for name, value in moments.items() if value is not None}
        return {"weight": self.multiplier, **scalars}

    def load_state_dict(self, state: dict[str, float]) -> None:
        """Restore λ and its moments."""
        with torch.no_grad():
            self._lambda.fill_(state["weight"])
        for name, value in state.items():
            if name != "weight":
                dtype = torch.float32 if name == "step" else torch.float64
                self._optimizer.state[self._lambda][name] = torch.tensor(value, dtype=dtype)


OBJECTIVES: dict[str, type[Objective]] = {
    "constrained": Constrained,
    "linear": Linear,
}
"""The objectives of a learned encoder: `objective.kind` → class."""
