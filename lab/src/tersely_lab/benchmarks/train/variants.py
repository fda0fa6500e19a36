"""Variants of training to time: scheme, step and optimizer as `tersely train` builds them.

A variant runs bare training steps: no dev evaluation, no log, no checkpoints (those belong to
training/loop.py). `profile` measures the time of each part of a step with hooks on the modules.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import nn

from tersely.game.batch import Batch
from tersely.game.paper.objective import ObjectiveConfig
from tersely.game.paper.scheme import PaperScheme
from tersely.game.step import StepMetrics
from tersely.training.batches import Batches
from tersely.training.config import ModelConfig, RunConfig, TrainingConfig
from tersely.training.optimizer import build_optimizer
from tersely.training.paper_task import PaperStep, PaperTask
from tersely.training.tasks import build_task
from tersely_lab.benchmarks.measurement import Clock
from tersely_lab.benchmarks.train.zipf import vocabulary_of


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantConfig:
    """The whole game, or the decoder alone on Unif(0.5) keywords; and the kind of softmax."""

    whole_game: bool
    softmax: Literal["full", "adaptive"]

    def run_config(self, *, units: int, batch: int) -> RunConfig:
        """Return the paper's settings with this softmax and these sizes."""
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


VARIANTS = {
    "decoder, full softmax": VariantConfig(whole_game=False, softmax="full"),
    "decoder, adaptive softmax": VariantConfig(whole_game=False, softmax="adaptive"),
    "whole game, full softmax": VariantConfig(whole_game=True, softmax="full"),
    "whole game, adaptive softmax": VariantConfig(whole_game=True, softmax="adaptive"),
}


@dataclass(slots=True)
class Variant:
    """A training in progress."""

    scheme: PaperScheme
    step: PaperStep
    optimizer: torch.optim.Adam
    generator: torch.Generator
    batches: Batches
    metrics: list[StepMetrics]

    @classmethod
    def build(cls, config: RunConfig, batches: Batches, *, vocabulary: int) -> "Variant":
        """Start from initial parameters."""
        generator = torch.Generator().manual_seed(config.training.seed)
        task = build_task(config, vocabulary, vocabulary_of(vocabulary), generator)
        assert isinstance(task, PaperTask), "the benchmark's configs are of the paper's scheme"
        optimizer = build_optimizer(
            config.training, encoder=task.scheme.encoder, decoder=task.scheme.decoder
        )
        return cls(
            scheme=task.scheme,
            step=task.step,
            optimizer=optimizer,
            generator=generator,
            batches=batches,
            metrics=[],
        )

    def train(self, steps: range) -> int:
        """Train for some steps; return their target tokens, end marks included."""
        for step in steps:
            loss, metrics = self.forward(self.batches.at(step))
            self.backward(loss)
            self.update(metrics)
        return sum(metrics.tokens for metrics in self.metrics[-len(steps) :])

    def forward(self, batch: Batch) -> tuple[torch.Tensor, StepMetrics]:
        """Compute the loss of a batch."""
        return self.step.compute_loss(self.scheme, batch, self.generator)

    def backward(self, loss: torch.Tensor) -> None:
        """Compute the gradients."""
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]

    def update(self, metrics: StepMetrics) -> None:
        """Update the parameters and λ."""
        self.optimizer.step()
        self.step.update_objective(metrics)
        self.metrics.append(metrics)


PARTS = (
    "batch",
    "encoder",
    "reader",
    "decoder LSTM",
    "attention and copying",
    "softmax",
    "drawing and sums",
    "backward, softmax",
    "backward, rest",
    "optimizer",
)


def profile(variant: Variant, *, first: int, steps: int, clock: Clock) -> dict[str, float]:
    """Return the mean seconds of each part of a step."""
    timer = _Timer(clock)
    decoder = variant.scheme.decoder
    with ExitStack() as stack:
        stack.enter_context(timer.time_module("encoder", variant.scheme.encoder))
        stack.enter_context(timer.time_module("decoder", decoder))
        stack.enter_context(timer.time_module("reader", decoder.reader))
        stack.enter_context(timer.time_module("lstm", decoder.lstm))
        stack.enter_context(timer.time_module("softmax", decoder.softmax, backward=True))
        for step in range(first, first + steps):
            with timer.time_block("batch"):
                batch = variant.batches.at(step)
            with timer.time_block("forward"):
                loss, metrics = variant.forward(batch)
            with timer.time_block("backward"):
                variant.backward(loss)
            with timer.time_block("optimizer"):
                variant.update(metrics)
    measured = timer.seconds
    in_decoder = measured["reader"] + measured["lstm"] + measured["softmax"]
    seconds = {
        "batch": measured["batch"],
        "encoder": measured["encoder"],
        "reader": measured["reader"],
        "decoder LSTM": measured["lstm"],
        "attention and copying": measured["decoder"] - in_decoder,
        "softmax": measured["softmax"],
        "drawing and sums": measured["forward"] - measured["encoder"] - measured["decoder"],
        "backward, softmax": measured["softmax backward"],
        "backward, rest": measured["backward"] - measured["softmax backward"],
        "optimizer": measured["optimizer"],
    }
    return {part: seconds[part] / steps for part in PARTS}


class _Timer:
    """Adds up the seconds measured under each name."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._started: dict[str, float] = {}
        self.seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def time_block(self, name: str) -> Iterator[None]:
        """Time a block."""
        self._start(name)()
        yield
        self._stop(name)()

    @contextmanager
    def time_module(
        self, name: str, module: nn.Module, *, backward: bool = False
    ) -> Iterator[None]:
        """Time the calls of a module until the block ends."""
        hooks = [
            module.register_forward_pre_hook(self._start(name)),
            module.register_forward_hook(self._stop(name)),
        ]
        if backward:
            hooks += [
                module.register_full_backward_pre_hook(self._start(f"{name} backward")),
                module.register_full_backward_hook(self._stop(f"{name} backward")),
            ]
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()

    def _start(self, name: str) -> Callable[..., None]:
        def start(*_: Any) -> None:
            self._started[name] = self._clock()

        return start

    def _stop(self, name: str) -> Callable[..., None]:
        def stop(*_: Any) -> None:
            self.seconds[name] += self._clock() - self._started[name]

        return stop
