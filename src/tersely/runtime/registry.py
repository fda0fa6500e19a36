"""The runtime of a model, by its architecture."""

from collections.abc import Sequence
from typing import Any, Protocol

from tersely.errors import TerselyError
from tersely.model.budget_features import DecoderBudget
from tersely.model.folder import ModelFolder
from tersely.model.monotone_shape import MONOTONE
from tersely.model.shape import ARCHITECTURE
from tersely.runtime.arrays import Ids
from tersely.runtime.monotone import MonotoneRuntime
from tersely.runtime.next_token import NextWords
from tersely.runtime.paper import Runtime
from tersely.text.vocabulary import Vocabulary


class DecoderRuntime(Protocol):
    """What search and scoring need of any model."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The words it knows."""

    def begin(self, keywords: Sequence[Sequence[str]], budget: DecoderBudget | None = None) -> Any:
        """Read the keywords, one row each; the budget is told where the model takes one."""

    def step(self, state: Any, last: Ids) -> tuple[Any, NextWords]:
        """Say the last word (rows,) and tell what comes next."""

    def resume(self, state: Any, opening: Sequence[int]) -> tuple[Any, Ids]:
        """Begin all rows with these words, which are no keywords; the last is still to be said."""


def open_runtime(model: ModelFolder) -> DecoderRuntime:
    """Make a model ready to run."""
    if model.architecture == ARCHITECTURE:
        return Runtime(model)
    if model.architecture == MONOTONE:
        return MonotoneRuntime(model)
    raise TerselyError(
        f'The model is of architecture "{model.architecture}"; '
        f'known are "{ARCHITECTURE}" and "{MONOTONE}".'
    )
