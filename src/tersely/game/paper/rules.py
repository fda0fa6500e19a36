"""Mask rules in torch: Unif, Stopword, and random rates for a decoder that learns first."""

from typing import Protocol

import torch
from torch import Tensor

from tersely.game.batches import Batch
from tersely.text.keywords import Stopword
from tersely.text.vocabulary import Vocabulary


class MaskRule(Protocol):
    """Draws a mask for each sentence without looking at any parameter."""

    def __call__(self, batch: Batch, generator: torch.Generator) -> Tensor:
        """Return keep (batch, time), bool; what it says past the end does not matter."""


class UnifRule:
    """Each token is kept with probability δ."""

    def __init__(self, delta: float) -> None:
        self._delta = delta

    def __call__(self, batch: Batch, generator: torch.Generator) -> Tensor:
        """Draw one coin a token."""
        return torch.rand(batch.tokens.shape, generator=generator) < self._delta


class StopwordRule:
    """Stop words are kept with probability δ, all else always."""

    def __init__(self, encoder: Stopword, lexicon: Vocabulary) -> None:
        self._delta = encoder.delta
        self._is_stop = torch.tensor([encoder.is_stop_word(token) for token in lexicon.tokens])

    def __call__(self, batch: Batch, generator: torch.Generator) -> Tensor:
        """Draw one coin a token; it counts for stop words only."""
        coins = torch.rand(batch.tokens.shape, generator=generator) < self._delta
        return ~self._is_stop[batch.tokens] | coins


class RandomRateRule:
    """Each sentence has a rate of its own, drawn from U(0, 1)."""

    def __call__(self, batch: Batch, generator: torch.Generator) -> Tensor:
        """Draw a rate a sentence, then a coin a token."""
        rates = torch.rand((len(batch.tokens), 1), generator=generator)
        return torch.rand(batch.tokens.shape, generator=generator) < rates
