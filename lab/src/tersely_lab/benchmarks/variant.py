"""A training to be timed: scheme, round and optimizer as `tersely train` would build them.

Nothing but the steps: no judging, no log, no checkpoints (training/loop.py has those).
"""

from dataclasses import dataclass
from typing import Literal

import torch

from tersely.game.batch import Batch
from tersely.game.paper.objective import ObjectiveConfig
from tersely.game.paper.scheme import PaperScheme
from tersely.game.step import StepMetrics
from tersely.training.batches import Batches
from tersely.training.config import ModelConfig, RunConfig, TrainingConfig
from tersely.training.optimizer import build_optimizer
from tersely.training.paper_task import PaperStep, PaperTask
from tersely.training.tasks import build_task
from tersely_lab.benchmarks.zipf import lexicon


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """Which training: the decoder alone on Unif(0.5) keywords, or the whole game."""

    whole_game: bool
    softmax: Literal["full", "adaptive"]

    def config(self, *, units: int, batch: int) -> RunConfig:
        """The paper's settings, but for the softmax and, in tests, the sizes."""
        return RunConfig(
            model=ModelConfig(
                embedding_units=units,
                encoder_units=units,
                reader_units=units,
                decoder_units=units,
                softmax=self.softmax,
            ),
            objective=ObjectiveConfig(kind="constrained" if self.whole_game else "unif"),
            training=TrainingConfig(batch_sentences=batch),
        )


KINDS = {
    "decoder, full softmax": Kind(whole_game=False, softmax="full"),
    "decoder, adaptive softmax": Kind(whole_game=False, softmax="adaptive"),
    "whole game, full softmax": Kind(whole_game=True, softmax="full"),
    "whole game, adaptive softmax": Kind(whole_game=True, softmax="adaptive"),
}


@dataclass(slots=True)
class Variant:
    """One training under way."""

    scheme: PaperScheme
    step: PaperStep
    optimizer: torch.optim.Adam
    generator: torch.Generator
    batches: Batches
    records: list[StepMetrics]

    @classmethod
    def build(cls, config: RunConfig, batches: Batches, *, vocabulary: int) -> "Variant":
        """Start from fresh parameters."""
        generator = torch.Generator().manual_seed(config.training.seed)
        task = build_task(config, vocabulary, lexicon(vocabulary), generator)
        assert isinstance(task, PaperTask), "the benchmark's configs are of the paper's scheme"
        return cls(
            scheme=task.scheme,
            step=task.step,
            optimizer=build_optimizer(
                config.training, encoder=task.scheme.encoder, decoder=task.scheme.decoder
            ),
            generator=generator,
            batches=batches,
            records=[],
        )

    def train(self, steps: range) -> int:
        """Train for some steps; return their target tokens, end marks included."""
        for step in steps:
            scalar, record = self.play(self.batches.at(step))
            self.differentiate(scalar)
            self.update(record)
        return sum(record.tokens for record in self.records[-len(steps) :])

    def play(self, batch: Batch) -> tuple[torch.Tensor, StepMetrics]:
        """Forward."""
        return self.step.compute_loss(self.scheme, batch, self.generator)

    def differentiate(self, scalar: torch.Tensor) -> None:
        """Backward."""
        self.optimizer.zero_grad()
        scalar.backward()  # type: ignore[no-untyped-call]

    def update(self, record: StepMetrics) -> None:
        """Let Adam and λ answer."""
        self.optimizer.step()
        self.step.update_objective(record)
        self.records.append(record)
