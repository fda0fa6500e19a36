"""Training tasks: a scheme with its training step, behind one interface for the loop.

loop.py trains, evaluates, saves and restores tasks of any architecture. To add an architecture
(another encoder or decoder), write its scheme and step in game/, a class with the methods of
`TrainingTask` beside paper_task.py, and add it to `TASKS`.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Protocol, Self

import torch
from torch import Tensor, nn

from tersely.corpus.dataset import Split
from tersely.errors import UsageError
from tersely.game.batch import Batch
from tersely.game.step import StepMetrics
from tersely.model.shapes import CommonShape
from tersely.text.vocabulary import Vocabulary
from tersely.training.config import ModelConfig, RunConfig
from tersely.training.distilled_task import DistilledTask
from tersely.training.paper_task import PaperTask


class Scheme(Protocol):
    """An encoder and a decoder in one torch module."""

    @property
    def shape(self) -> CommonShape:
        """The sizes of encoder and decoder."""

    @property
    def encoder(self) -> nn.Module:
        """Chooses keywords."""

    @property
    def decoder(self) -> nn.Module:
        """Completes keywords."""

    def state_dict(self) -> dict[str, Any]:
        """Return the parameters by name."""

    def load_state_dict(self, state_dict: Mapping[str, Any], /) -> object:
        """Restore the parameters."""


class TrainingTask(Protocol):
    """A scheme in training."""

    architecture: ClassVar[str]
    """The value of model.architecture, also in the settings of a model folder."""

    @property
    def scheme(self) -> Scheme:
        """The encoder and decoder that are trained."""

    @classmethod
    def build(
        cls, config: RunConfig, shape: CommonShape, lexicon: Vocabulary, generator: torch.Generator
    ) -> Self:
        """Build an untrained scheme of the architecture's shape, and its training step."""

    @staticmethod
    def shape(model: ModelConfig, vocabulary_size: int) -> CommonShape:
        """Return the shape of a scheme over a vocabulary."""

    def compute_loss(
        self, step: int, batch: Batch, generator: torch.Generator
    ) -> tuple[Tensor, StepMetrics]:
        """Return the scalar to minimise at a step, and the metrics of the step."""

    def finish_step(self, step: int, metrics: StepMetrics) -> None:
        """Update state that is not a parameter, such as λ, after the optimizer's step."""

    def extra_metrics(self) -> dict[str, float]:
        """Return metrics for the log beside those of the step."""

    def evaluate(self, dev: Split, sentences: int) -> dict[str, float]:
        """Evaluate the scheme on the first sentences of dev."""

    def selection_settings(self, dev: Split, sentences: int) -> dict[str, Any]:
        """Return how keywords are chosen, for the settings of a model folder."""

    def state_dict(self) -> dict[str, Any]:
        """Return the state, besides parameters, that a checkpoint keeps."""

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore the state of a checkpoint."""


TASKS: dict[str, type[TrainingTask]] = {
    PaperTask.architecture: PaperTask,
    DistilledTask.architecture: DistilledTask,
}
"""The architectures that can be trained: `model.architecture` → class."""


def build_task(
    config: RunConfig,
    vocabulary_size: int,
    lexicon: Vocabulary,
    generator: torch.Generator,
    *,
    pretrained: CommonShape | None = None,
) -> TrainingTask:
    """Build an untrained task; with `pretrained`, of that shape but for the vocabulary."""
    task = TASKS[config.model.architecture]
    shape = task.shape(config.model, vocabulary_size)
    if pretrained:
        check_same_shape(shape, pretrained)
        # Clusters of the softmax stay as they are; new words join the last one.
        shape = replace(pretrained, vocabulary_size=vocabulary_size)
    return task.build(config, shape, lexicon, generator)


def check_same_shape(configured: CommonShape, pretrained: CommonShape) -> None:
    """Refuse to continue a model under a config of another shape.

    A model that started with a smaller vocabulary may have fewer clusters, or none.
    """
    ours, theirs = configured.as_settings(), pretrained.as_settings()
    theirs["vocabulary_size"] = ours["vocabulary_size"]
    if ours["adaptive_cutoffs"][: len(theirs["adaptive_cutoffs"])] == theirs["adaptive_cutoffs"]:
        for key in ("softmax", "adaptive_cutoffs"):
            ours[key] = theirs[key]
    for key in ours:
        if ours[key] != theirs[key]:
            raise UsageError(
                f"--init: the model has {key} = {theirs[key]!r}, the config {ours[key]!r}. "
                "Use the config the model was trained with (it is in its config.json)."
            )
