"""A match: a scheme and the round it plays. All that training needs to know of either.

The loop (loop.py) plays, judges, saves and restores matches of any architecture; what is
particular to the paper's game is here, what is particular to the distilled one is in
distilled_match.py.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor

from tersely.corpus.dataset import Split
from tersely.game.batches import Batch
from tersely.game.distilled.scheme import MonotoneScheme
from tersely.game.paper.round import LearnedRound, RoundRecord, RuleRound
from tersely.game.paper.rules import RandomRateRule
from tersely.game.paper.scheme import Scheme
from tersely.model.shapes import PAPER
from tersely.training.dev_evaluation import judge, keep_quantiles

AnyScheme = Scheme | MonotoneScheme


class Match(Protocol):
    """A scheme in training."""

    @property
    def scheme(self) -> AnyScheme:
        """What learns."""

    @property
    def architecture(self) -> str:
        """What a model folder of the scheme calls itself."""

    def play(
        self, step: int, batch: Batch, generator: torch.Generator
    ) -> tuple[Tensor, RoundRecord]:
        """Return the scalar to minimise and what happened."""

    def finish(self, step: int, played: RoundRecord) -> None:
        """Let whatever is no parameter answer to the round."""

    def figures(self) -> dict[str, float]:
        """What the log tells besides the round's record."""

    def judge(self, dev: Split, sentences: int) -> dict[str, float]:
        """Measure the scheme on dev."""

    def encoder_settings(self, dev: Split, sentences: int) -> dict[str, Any]:
        """What a model folder says about choosing keywords, measured on dev."""

    def state(self) -> dict[str, Any]:
        """What a checkpoint must keep besides parameters."""

    def restore(self, state: dict[str, Any]) -> None:
        """Take up where a checkpoint left off."""


@dataclass(frozen=True, slots=True)
class PaperMatch:
    """The paper's scheme, learned or by rule."""

    scheme: Scheme
    game: LearnedRound | RuleRound
    encoder: dict[str, Any]  # how a model folder names the way keywords are chosen
    decoder_first_steps: int

    @property
    def architecture(self) -> str:
        """The paper's."""
        return PAPER

    def play(
        self, step: int, batch: Batch, generator: torch.Generator
    ) -> tuple[Tensor, RoundRecord]:
        """Play the round of this step."""
        return self._game_at(step).play(self.scheme, batch, generator)

    def finish(self, step: int, played: RoundRecord) -> None:
        """Let λ answer."""
        self._game_at(step).finish(played)

    def _game_at(self, step: int) -> LearnedRound | RuleRound:
        return RuleRound(RandomRateRule()) if step < self.decoder_first_steps else self.game

    def figures(self) -> dict[str, float]:
        """λ, where there is one."""
        if isinstance(self.game, RuleRound):
            return {}
        return {"weight_tokens_per_nat": self.game.objective.weight}

    def judge(self, dev: Split, sentences: int) -> dict[str, float]:
        """Kept and loss on dev."""
        sample = self.encoder.get("keep") == "sample"
        return judge(self.scheme, self.game, dev, sentences=sentences, sample=sample)

    def encoder_settings(self, dev: Split, sentences: int) -> dict[str, Any]:
        """How keywords are chosen, and the quantiles that a budget is read from."""
        is_rule = isinstance(self.game, RuleRound)
        quantiles = [] if is_rule else keep_quantiles(self.scheme, dev, sentences=sentences)
        return {"encoder": self.encoder, "keep_quantiles": quantiles}

    def state(self) -> dict[str, Any]:
        """λ and the baseline."""
        if isinstance(self.game, RuleRound):
            return {}
        return {"objective": self.game.objective.state(), "baseline": self.game.baseline.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Set λ and the baseline."""
        if isinstance(self.game, LearnedRound):
            self.game.objective.restore(state["objective"])
            self.game.baseline.restore(state["baseline"])
