"""Rule encoders: masks drawn by a fixed rule instead of a learned encoder.

Unif and Stopword are the paper's (section 3); text/keywords.py has the same rules for text.
To add a rule encoder, write a class with the methods of `RuleEncoder` and add it to `RULES`.
"""

from typing import Any, Protocol, Self

import torch
from torch import Tensor

from tersely.game.batch import Batch
from tersely.game.paper.objective import ObjectiveConfig
from tersely.text.keywords import Stopword
from tersely.text.vocabulary import Vocabulary


class MaskRule(Protocol):
    """Draws a mask for each sentence."""

    def __call__(self, batch: Batch, generator: torch.Generator) -> Tensor:
        """Return keep (batch, time), bool; values at padding are ignored."""


class RuleEncoder(MaskRule, Protocol):
    """A rule that a decoder can be trained with."""

    @classmethod
    def from_config(cls, config: ObjectiveConfig, lexicon: Vocabulary) -> Self:
        """Build the rule from the settings it needs."""

    @staticmethod
    def title(config: ObjectiveConfig) -> str:
        """Return the name that the paper gives to a scheme with this rule."""

    @staticmethod
    def encoder_settings(config: ObjectiveConfig) -> dict[str, Any]:
        """Return the rule as the settings of a model folder describe it."""


class UnifRule:
    """Keeps each token with probability δ."""

    def __init__(self, delta: float) -> None:
        self._delta = delta

    @classmethod
    def from_config(cls, config: ObjectiveConfig, lexicon: Vocabulary) -> Self:
        """Read δ."""
        return cls(config.delta)

    @staticmethod
    def title(config: ObjectiveConfig) -> str:
        """Return "Unif(δ=…)"."""
        return f"Unif(δ={config.delta:g})"

    @staticmethod
    def encoder_settings(config: ObjectiveConfig) -> dict[str, Any]:
        """Return kind and δ."""
        return {"kind": "unif", "delta": config.delta}

    def __call__(self, batch: Batch, generator: torch.Generator) -> Tensor:
        """Draw one coin per token."""
        return torch.rand(batch.tokens.shape, generator=generator) < self._delta


class StopwordRule:
    """Keeps stop words with probability δ, and all other tokens."""

    def __init__(self, encoder: Stopword, lexicon: Vocabulary) -> None:
        self.encoder = encoder
        self._is_stop_word = torch.tensor([encoder.is_stop_word(token) for token in lexicon.tokens])

    @classmethod
    def from_config(cls, config: ObjectiveConfig, lexicon: Vocabulary) -> Self:
        """Read δ and which marks count as stop words."""
        encoder = Stopword(
            config.delta,
            drop_shift=config.stopword_drops_shift,
            drop_punctuation=config.stopword_drops_punctuation,
        )
        return cls(encoder, lexicon)

    @staticmethod
    def title(config: ObjectiveConfig) -> str:
        """Return "Stopword(δ=…)"."""
        return f"Stopword(δ={config.delta:g})"

    @staticmethod
    def encoder_settings(config: ObjectiveConfig) -> dict[str, Any]:
        """Return kind, δ and which marks count as stop words."""
        return {
            "kind": "stopword",
            "delta": config.delta,
            "drop_shift": config.stopword_drops_shift,
            "drop_punctuation": config.stopword_drops_punctuation,
        }

    def __call__(self, batch: Batch, generator: torch.Generator) -> Tensor:
        """Draw one coin per token; it counts only for stop words."""
        coins = torch.rand(batch.tokens.shape, generator=generator) < self.encoder.delta
        return ~self._is_stop_word[batch.tokens] | coins


class RandomRateRule:
    """Keeps tokens with a probability that is drawn from U(0, 1) for each sentence."""

    def __call__(self, batch: Batch, generator: torch.Generator) -> Tensor:
        """Draw one rate per sentence, then one coin per token."""
        rates = torch.rand((len(batch.tokens), 1), generator=generator)
        return torch.rand(batch.tokens.shape, generator=generator) < rates


RULES: dict[str, type[RuleEncoder]] = {
    "unif": UnifRule,
    "stopword": StopwordRule,
}
"""The rule encoders: `objective.kind` → class."""
