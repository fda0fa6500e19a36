"""CONTRIBUTING's recipe: a new objective or rule is a class and one entry in a table."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import pytest
import torch
from torch import Tensor

from tersely.completion.completer import Completer
from tersely.errors import UsageError
from tersely.game.batch import Batch
from tersely.game.paper.objective import OBJECTIVES, Linear, ObjectiveConfig
from tersely.game.paper.rules import RULES
from tersely.model.folder import ModelFolder
from tersely.selection import keep_probability
from tersely.text.vocabulary import Vocabulary
from tersely.training.config import RunConfig, parse_config
from tests.training.small import small_config, small_run

STEPS = 3


class Hinge(Linear):
    """A toy objective: only the loss above ε counts."""

    def __init__(self, multiplier: float, epsilon: float) -> None:
        super().__init__(multiplier)
        self.epsilon = epsilon
        self.updates = 0.0

    @classmethod
    def from_config(cls, config: ObjectiveConfig) -> Self:
        return cls(config.weight_tokens_per_nat, config.epsilon_nats_per_token)

    @staticmethod
    def title(config: ObjectiveConfig) -> str:
        return f"Hinge(ε={config.epsilon_nats_per_token:g})"

    def penalised_costs(self, cost_tokens: Tensor, loss_nats_per_token: Tensor) -> Tensor:
        return cost_tokens + self.multiplier * (loss_nats_per_token - self.epsilon).clamp(min=0)

    def update(self, mean_loss_nats_per_token: float) -> None:
        self.updates += 1

    def state_dict(self) -> dict[str, float]:
        return {"updates": self.updates}

    def load_state_dict(self, state: dict[str, float]) -> None:
        self.updates = state["updates"]


class FirstToken:
    """A toy rule: keep the first token."""

    @classmethod
    def from_config(cls, config: ObjectiveConfig, lexicon: Vocabulary) -> Self:
        return cls()

    @staticmethod
    def title(config: ObjectiveConfig) -> str:
        return "First token"

    @staticmethod
    def encoder_settings(config: ObjectiveConfig) -> dict[str, Any]:
        return {"kind": "first"}

    def __call__(self, batch: Batch, generator: torch.Generator) -> Tensor:
        return (torch.arange(batch.tokens.shape[1]) == 0).expand(batch.tokens.shape)


class FirstKeyword:
    """The same rule for text."""

    def mask(self, tokens: Sequence[str], rng: random.Random) -> list[bool]:
        return [index == 0 for index in range(len(tokens))]

    def probabilities(self, tokens: Sequence[str]) -> list[float]:
        return [float(index == 0) for index in range(len(tokens))]


def config_of(kind: str) -> RunConfig:
    return small_config(
        objective={"kind": kind},
        estimator={"decoder_first_steps": 0},
        training={"max_steps": STEPS, "evaluate_every_steps": STEPS},
    )


def newest_state(run: Path) -> dict[str, Any]:
    (checkpoint,) = (run / "checkpoints").iterdir()
    state: dict[str, Any] = json.loads((checkpoint / "state.json").read_text(encoding="utf-8"))
    return state


def test_a_registered_objective_can_be_trained_saved_and_loaded(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(OBJECTIVES, "hinge", Hinge)
    run = small_run(corpus, tmp_path / "run", config_of("hinge"))
    assert newest_state(run)["objective"] == {"updates": STEPS}
    assert ModelFolder.from_pretrained(run).card.startswith("# Hinge(ε=0.5)\n")
    assert Completer.load(run).complete("waiter friendly")


def test_a_registered_rule_can_be_trained_saved_and_loaded(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RULES, "first", FirstToken)
    monkeypatch.setitem(keep_probability.RULES, "first", lambda _: FirstKeyword())
    run = small_run(corpus, tmp_path / "run", config_of("first"))
    dev = json.loads((run / "result.json").read_text(encoding="utf-8"))["dev"]
    assert dev["cost_tokens"] == 1.0
    assert ModelFolder.from_pretrained(run).settings["encoder"] == {"kind": "first"}
    assert Completer.load(run).keywords("soup was hot").keep == [True, False, False]


def test_the_config_takes_exactly_the_registered_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"objective": {"kind": "hinge"}}
    with pytest.raises(
        UsageError, match=r"objective\.kind must be one of constrained, linear, unif"
    ):
        parse_config(table, where="x.toml")
    monkeypatch.setitem(OBJECTIVES, "hinge", Hinge)
    assert parse_config(table, where="x.toml").objective.kind == "hinge"
