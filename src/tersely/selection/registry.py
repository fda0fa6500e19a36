"""The keyword selector of a model, by its architecture."""

from collections.abc import Sequence
from typing import Protocol

from tersely.model.budget_features import DecoderBudget
from tersely.model.folder import ModelFolder
from tersely.runtime.monotone import MonotoneRuntime
from tersely.runtime.paper import PaperRuntime
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


def open_selector(model: ModelFolder, runtime: DecoderRuntime) -> KeywordSelector:
    """Return the selector of a model whose runtime is open."""
    if isinstance(runtime, MonotoneRuntime):
        return SurprisalSelector(runtime, model.settings)
    if isinstance(runtime, PaperRuntime):
        return KeepProbabilitySelector(runtime, model.settings)
    raise TypeError(f"no selector for {type(runtime).__name__}")
