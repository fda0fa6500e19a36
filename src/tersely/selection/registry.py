"""The keyword selector of a model, by its architecture.

To add an encoder, write its selector beside surprisal.py and add it to `SELECTORS`. What trains it
is registered in training/tasks.py, or in game/paper/rules.py if it is a fixed rule.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from tersely.model.budget_features import DecoderBudget
from tersely.model.folder import ModelFolder
from tersely.model.shapes import MONOTONE, PAPER
from tersely.runtime.registry import DecoderRuntime
from tersely.selection.keep_probability import KeepProbabilitySelector
from tersely.selection.surprisal import SurprisalSelector


class KeywordSelector(Protocol):
    """Selects the keywords of a sentence."""

    def probabilities(
        self, sentences: Sequence[Sequence[str]], budget: float | None = None
    ) -> list[list[float]]:
        """Return the probability that each token is kept."""

    def masks(
        self, sentences: Sequence[Sequence[str]], budget: float | None = None
    ) -> list[list[bool]]:
        """Keep or drop each token; at a budget, that share of them on average."""

    def decoder_budget(self, budget: float | None) -> DecoderBudget | None:
        """Return what the decoder is conditioned on at this budget; None for nothing."""


SELECTORS: dict[str, Callable[[Any, Mapping[str, Any]], KeywordSelector]] = {
    PAPER: KeepProbabilitySelector,
    MONOTONE: SurprisalSelector,
}
"""The `architecture` of a model folder → selector, over the model's runtime and settings."""


def open_selector(model: ModelFolder, runtime: DecoderRuntime) -> KeywordSelector:
    """Return the selector of a model whose runtime is open."""
    return SELECTORS[model.architecture](runtime, model.settings)
