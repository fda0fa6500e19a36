"""The training loop of a run, resumable between any two steps.

RUN/run.json         the config, the data and the command
RUN/checkpoints/     everything needed to resume
RUN/metrics.jsonl    a line every few steps, and one for each evaluation on dev
RUN/course.png       cost, loss, λ and kept fraction over steps
RUN/model/           the model as of the newest checkpoint
RUN/result.json      written when the run has finished
"""

import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch

from tersely.corpus.dataset import PreparedCorpus, Split
from tersely.errors import TerselyError, UsageError
from tersely.game.step import StepMetrics
from tersely.model.folder import ModelFolder
from tersely.storage.atomic import new_file
from tersely.text.vocabulary import Vocabulary
from tersely.training.batches import Batches, first_sentences
from tersely.training.checkpoint import Checkpoint, get_moments, load_moments
from tersely.training.config import RunConfig
from tersely.training.export import export_model, scheme_title
from tersely.training.fine_tuning import Renumbering, check_pretrained, copy_weights
from tersely.training.metrics import MetricsCallback, MetricsLog, average_metrics, plot_metrics
from tersely.training.optimizer import (
    build_optimizer,
    clip_gradients,
    learning_rate_factor,
    scale_learning_rates,
)
from tersely.training.stop_criteria import EarlyStopping, StopRequest
from tersely.training.tasks import TrainingTask, build_task

LOG_EVERY_STEPS = 25
COLLAPSED_ENTROPY = 0.005  # nats per token; below it q hardly samples anything but its mode

Ending = Literal["flat", "step limit", "stopped"]


@dataclass(slots=True)
class Trainer:
    """A run between two steps: its state and its parts."""

    config: RunConfig
    vocabulary: Vocabulary
    dev: Split
    run: Path
    task: TrainingTask
    optimizer: torch.optim.Adam
    generator: torch.Generator
    batches: Batches
    log: MetricsLog
    step: int = 0
    seconds: float = 0.0  # of training, over all resumed parts
    logged_seconds: float = 0.0  # `seconds` at the last line of the log
    has_warned: bool = False

    @classmethod
    def open(
        cls, config: RunConfig, corpus: PreparedCorpus, run: Path, *, start: ModelFolder | None
    ) -> "Trainer":
        """Start a run, or resume it from its newest checkpoint; `start` is a model to fine-tune."""
        generator = torch.Generator().manual_seed(config.training.seed)
        ids = Renumbering(corpus, start.vocabulary if start else None)
        shape = check_pretrained(start, architecture=config.model.architecture) if start else None
        task = build_task(config, len(ids.vocabulary), ids.lexicon, generator, pretrained=shape)
        if start:
            copy_weights(task.scheme, start.tensors)
        dev = corpus.split("dev")
        if not len(dev):
            raise UsageError(f"{corpus.folder}: no dev sentences. Prepare it with --dev 100 or so.")
        checkpoint = Checkpoint.load_newest(run)
        scheme, training = task.scheme, config.training
        trainer = cls(
            config=config,
            vocabulary=ids.vocabulary,
            dev=ids.split(dev),
            run=run,
            task=task,
            optimizer=build_optimizer(training, encoder=scheme.encoder, decoder=scheme.decoder),
            generator=generator,
            batches=Batches(
                ids.split(first_sentences(corpus.split("train"), training.train_sentences)),
                batch_size=training.batch_sentences,
                seed=training.seed,
            ),
            log=MetricsLog(run, resume_at=checkpoint.step if checkpoint else 0),
        )
        if checkpoint:
            trainer.restore(checkpoint)
        return trainer

    def train(self, stop: StopRequest, callbacks: Sequence[MetricsCallback]) -> Ending:
        """Train until dev metrics are flat, the step limit is reached, or a stop is requested."""
        started, seconds_before = time.monotonic(), self.seconds
        settings = self.config.training
        pending: list[StepMetrics] = []  # of steps not logged yet
        ending: Ending = "step limit"
        limit = settings.max_steps
        if self.is_evaluated() and self.is_flat():
            ending, limit = "flat", self.step  # killed just before result.json was written
        while self.step < limit:
            pending.append(self.train_step())
            self.seconds = seconds_before + time.monotonic() - started
            if self.step % LOG_EVERY_STEPS == 0:
                row = self.log_steps(pending)
                for callback in callbacks:
                    callback(self.step, row)
                pending = []
            if self.step % settings.evaluate_every_steps == 0 or self.step == limit:
                self.evaluate()
                self.warn_if_collapsed()
                if self.is_flat():
                    ending = "flat"
                    break
            if self.step % settings.checkpoint_every_steps == 0:
                self.save()
            if stop.is_requested:
                ending = "stopped"
                break
        self.save()
        if ending != "stopped":
            self.write_result(ending)
        return ending

    def train_step(self) -> StepMetrics:
        """Compute the loss of the next batch and update the parameters and λ."""
        batch = self.batches.at(self.step)
        loss, metrics = self.task.compute_loss(self.step, batch, self.generator)
        if not math.isfinite(metrics.loss_nats_a_token):
            raise TerselyError(
                f"{self.run}: the loss is NaN or infinite at step {self.step + 1}. The newest "
                "checkpoint is good; try training.gradient_norm_limit = 5.0 or a lower "
                "training.learning_rate."
            )
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        if self.config.training.gradient_norm_limit is not None:
            clip_gradients(self.optimizer, self.config.training.gradient_norm_limit)
        factor = learning_rate_factor(self.step, self.config.training)
        scale_learning_rates(self.optimizer, factor)
        self.optimizer.step()
        self.task.finish_step(self.step, metrics)
        self.step += 1
        return metrics

    def log_steps(self, steps: list[StepMetrics]) -> dict[str, float]:
        """Log the averaged metrics of the steps since the last call; return them."""
        row = {**average_metrics(steps), **self.task.extra_metrics()}
        tokens = sum(metrics.tokens for metrics in steps)
        row["tokens_per_second"] = tokens / max(1e-9, self.seconds - self.logged_seconds)
        self.logged_seconds = self.seconds
        self.log.write({"step": self.step, "kind": "train", **row, "seconds": self.seconds})
        return row

    def evaluate(self) -> None:
        """Evaluate the scheme on dev and log the metrics."""
        metrics = self.task.evaluate(self.dev, self.config.training.evaluate_sentences)
        row = {**metrics, **self.task.extra_metrics(), "seconds": self.seconds}
        self.log.write({"step": self.step, "kind": "dev", **row})

    def dev_history(self) -> list[dict[str, Any]]:
        """Return the metrics of all evaluations on dev so far."""
        return [row for row in self.log.rows if row["kind"] == "dev"]

    def is_evaluated(self) -> bool:
        """Return whether the current step has been evaluated."""
        history = self.dev_history()
        return bool(history) and history[-1]["step"] == self.step

    def is_flat(self) -> bool:
        """Return whether the run may stop early and its dev metrics are flat."""
        settings = self.config.training
        # A learning rate that falls to 0 makes any run flat; such a run ends with its schedule.
        may_stop = (
            settings.schedule == "constant"
            and self.step > self.config.estimator.decoder_first_steps
            and self.step >= settings.flat_after_steps
        )
        return may_stop and EarlyStopping.from_config(settings).is_flat(self.dev_history())

    def warn_if_collapsed(self) -> None:
        """Log a warning, once, when q keeps all tokens or none and no longer explores."""
        rows = [row for row in self.log.rows if row["kind"] == "train"]
        if self.has_warned or not rows or "weight_tokens_per_nat" not in rows[-1]:
            return
        row = rows[-1]
        is_extreme = row["kept_fraction"] > 0.97 or row["kept_fraction"] < 0.03
        if is_extreme and row["entropy_nats_a_token"] < COLLAPSED_ENTROPY:
            self.has_warned = True
            quantity = "all" if row["kept_fraction"] > 0.5 else "none"
            self.log.write(
                {
                    "step": self.step,
                    "kind": "warning",
                    "text": f"q has collapsed to keeping {quantity} of the tokens and explores no "
                    "more; try estimator.logit_penalty_tokens = 0.005.",
                }
            )

    def save(self) -> None:
        """Write a checkpoint, the current model, and the plot."""
        Checkpoint(
            step=self.step,
            weights=self.task.scheme.state_dict(),
            moments=get_moments(self.optimizer),
            random_state=self.generator.get_state(),
            state={"seconds": self.seconds, "warned": self.has_warned, **self.task.state_dict()},
        ).save(self.run)
        sentences = self.config.training.evaluate_sentences
        history = self.dev_history() or [self.task.evaluate(self.dev, sentences)]
        export_model(
            self.task,
            self.vocabulary,
            self.config,
            step=self.step,
            encoder=self.task.selection_settings(self.dev, sentences),
            dev=history[-1],
        ).save_pretrained(self.run / "model")
        title = scheme_title(self.config.objective)
        plot_metrics(self.log.rows, self.run / "course.png", title=title)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Restore the state of a checkpoint."""
        self.step = checkpoint.step
        self.seconds = self.logged_seconds = checkpoint.state["seconds"]
        self.has_warned = checkpoint.state["warned"]
        self.task.scheme.load_state_dict(checkpoint.weights)
        load_moments(self.optimizer, checkpoint.moments)
        self.generator.set_state(checkpoint.random_state)
        self.task.load_state_dict(checkpoint.state)

    def write_result(self, ending: Ending) -> None:
        """Write RUN/result.json, which marks the run as finished."""
        result = {
            "ending": ending,
            "steps": self.step,
            "seconds": round(self.seconds, 1),
            "train_sentences": self.batches.sentences,
            "dev": self.dev_history()[-1],
        }
        with new_file(self.run / "result.json") as partial:
            partial.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
