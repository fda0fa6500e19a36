"""The runtime of a model, chosen by its architecture.

To add a decoder, write its runtime beside monotone.py and add it to `RUNTIMES`. What trains it is
registered in training/tasks.py, what selects its keywords in selection/registry.py.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from tersely.errors import TerselyError
from tersely.model.budget_features import DecoderBudget
from tersely.model.folder import ModelFolder
from tersely.model.shapes import MONOTONE, PAPER
from tersely.runtime.arrays import Ids
from tersely.runtime.monotone import MonotoneRuntime
from tersely.runtime.next_token import NextTokenDistribution
from tersely.runtime.paper import PaperRuntime
from tersely.text.vocabulary import Vocabulary


class DecoderRuntime(Protocol):
    """A decoder of any architecture, as search and scoring use it."""

    @property
    def vocabulary(self) -> Vocabulary:
        """Return the model's vocabulary."""

    def begin(self, keywords: Sequence[Sequence[str]], budget: DecoderBudget | None = None) -> Any:
        """Read the keywords, one row each; condition on the budget if the model can."""

    def step(self, state: Any, last: Ids) -> tuple[Any, NextTokenDistribution]:
        """Feed the last tokens (rows,); return the new state and the next token's distribution."""

    def prefill(self, state: Any, context_ids: Sequence[int]) -> tuple[Any, Ids]:
        """Feed the context to all rows but for its last token; return the state and that token."""


RUNTIMES: dict[str, Callable[[ModelFolder], DecoderRuntime]] = {
    PAPER: PaperRuntime,
    MONOTONE: MonotoneRuntime,
}
"""The architectures that can be run: the `architecture` of a model folder → runtime."""


def open_runtime(model: ModelFolder) -> DecoderRuntime:
    """Return the runtime of a model."""
    if model.architecture not in RUNTIMES:
        raise TerselyError(
            f'The model is of architecture "{model.architecture}"; '
            f"known are {' and '.join(RUNTIMES)}."
        )
    return RUNTIMES[model.architecture](model)
