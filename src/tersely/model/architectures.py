"""Architectures: a model folder → the runtime that runs it and the chooser of its keywords."""

from collections.abc import Sequence
from typing import Any, Protocol

from tersely.errors import TerselyError
from tersely.model.choosing import Chooser
from tersely.model.folder import ModelFolder
from tersely.model.monotone_runtime import MonotoneRuntime
from tersely.model.monotone_shape import MONOTONE
from tersely.model.next_words import NextWords
from tersely.model.rows import Ids
from tersely.model.runtime import Runtime
from tersely.model.shape import ARCHITECTURE
from tersely.model.spending import Told
from tersely.model.worth import WorthChooser
from tersely.text.vocab import Vocabulary


class DecoderRuntime(Protocol):
    """What search and scoring need of any model."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The words it knows."""

    def begin(self, keywords: Sequence[Sequence[str]], budget: Told | None = None) -> Any:
        """Read the keywords, one row each; the budget is told where the model takes one."""

    def step(self, state: Any, last: Ids) -> tuple[Any, NextWords]:
        """Say the last word (rows,) and tell what comes next."""

    def resume(self, state: Any, opening: Sequence[int]) -> tuple[Any, Ids]:
        """Begin all rows with these words, which are no keywords; the last is still to be said."""


class KeywordChooser(Protocol):
    """What chooses keywords for a sentence."""

    def probabilities(
        self, sentences: Sequence[Sequence[str]], budget: float | None = None
    ) -> list[list[float]]:
        """How likely each token is kept."""

    def masks(
        self, sentences: Sequence[Sequence[str]], budget: float | None = None
    ) -> list[list[bool]]:
        """Keep or drop each token; at a budget, that share of them in the mean."""

    def told(self, budget: float | None) -> Told | None:
        """What the decoder is told where this share was asked for: a budget, or nothing."""


def open_model(model: ModelFolder) -> tuple[DecoderRuntime, KeywordChooser]:
    """Make a model ready to run."""
    if model.architecture == ARCHITECTURE:
        paper = Runtime(model)
        return paper, Chooser(paper, model.settings)
    if model.architecture == MONOTONE:
        monotone = MonotoneRuntime(model)
        return monotone, WorthChooser(monotone, model.settings)
    raise TerselyError(
        f'The model is of architecture "{model.architecture}"; '
        f'known are "{ARCHITECTURE}" and "{MONOTONE}".'
    )
