"""A training to be timed: scheme, round and optimizer as `tersely train` would build them.

Nothing but the steps: no judging, no log, no checkpoints (training/loop.py has those).
"""

from dataclasses import dataclass
from typing import Literal

import torch

from tersely.game.batches import Batch, Batches
from tersely.game.paper.round import LearnedRound, RoundRecord, RuleRound
from tersely.game.paper.scheme import Scheme
from tersely.training.build import build_optimizer, build_round, build_scheme
from tersely.training.config import ModelConfig, ObjectiveConfig, RunConfig, TrainingConfig
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

    scheme: Scheme
    game: LearnedRound | RuleRound
    optimizer: torch.optim.Adam
    generator: torch.Generator
    batches: Batches
    records: list[RoundRecord]

    @classmethod
    def build(cls, config: RunConfig, batches: Batches, *, vocabulary: int) -> "Variant":
        """Start from fresh parameters."""
        generator = torch.Generator().manual_seed(config.training.seed)
        scheme = build_scheme(config, vocabulary, generator)
        assert isinstance(scheme, Scheme), "the benchmark's configs are of the paper's scheme"
        return cls(
            scheme=scheme,
            game=build_round(config, lexicon(vocabulary)),
            optimizer=build_optimizer(config, scheme),
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

    def play(self, batch: Batch) -> tuple[torch.Tensor, RoundRecord]:
        """Forward."""
        return self.game.play(self.scheme, batch, self.generator)

    def differentiate(self, scalar: torch.Tensor) -> None:
        """Backward."""
        self.optimizer.zero_grad()
        scalar.backward()  # type: ignore[no-untyped-call]

    def update(self, record: RoundRecord) -> None:
        """Let Adam and λ answer."""
        self.optimizer.step()
        self.game.finish(record)
        self.records.append(record)
