"""The loop of a run: batches in, a model folder out, resumable between any two steps.

RUN/run.json      what was asked, and the command that asked it
RUN/checkpoints/     everything needed to go on
RUN/metrics.jsonl    one line every few steps, one for each judgement on dev
RUN/course.png       cost, loss, λ and kept over steps
RUN/model/           the model as of the newest checkpoint
RUN/result.json      written when the run has finished
"""

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from torch.nn.utils import clip_grad_norm_

from tersely.corpus.dataset import PreparedCorpus, Split
from tersely.errors import TerselyError, UsageError
from tersely.game.batches import Batches
from tersely.game.paper.round import RoundRecord
from tersely.model.folder import ModelFolder
from tersely.storage.atomic import new_file
from tersely.text.vocabulary import Vocabulary
from tersely.training.build import build_match, build_optimizer, sides
from tersely.training.checkpoint import Checkpoint, moments_of, restore_moments
from tersely.training.config import RunConfig
from tersely.training.dev_evaluation import Flatness
from tersely.training.export import as_model, describe
from tersely.training.metrics import MetricsLog, average, plot_metrics
from tersely.training.paper_step import Match
from tersely.training.resume import Renumbering, fill_from, load_start
from tersely.training.schedule import rate_factor, set_rates
from tersely.training.signals import StopRequest

LOG_EVERY_STEPS = 25
COLLAPSED_ENTROPY = 0.005  # nats a token; at this point q hardly ever tries anything new

Ending = Literal["flat", "step limit", "stopped"]
Report = Callable[[int, dict[str, float]], None]


@dataclass(slots=True)
class Trainer:
    """A run between two steps: all that changes, and what it is made of."""

    config: RunConfig
    vocabulary: Vocabulary
    dev: Split
    run: Path
    match: Match
    optimizer: torch.optim.Adam
    generator: torch.Generator
    batches: Batches
    log: MetricsLog
    step: int = 0
    seconds: float = 0.0  # spent training, over all stretches
    noted_at: float = 0.0  # those seconds at the last line of the log
    warned: bool = False

    @classmethod
    def open(
        cls, config: RunConfig, corpus: PreparedCorpus, run: Path, *, start: ModelFolder | None
    ) -> "Trainer":
        """Start a run, or take it up where its newest checkpoint left off."""
        generator = torch.Generator().manual_seed(config.training.seed)
        numbers = Renumbering(corpus, start.vocabulary if start else None)
        like = load_start(start, architecture=config.model.architecture) if start else None
        match = build_match(config, len(numbers.vocabulary), numbers.lexicon, generator, like=like)
        if start:
            fill_from(match.scheme, start.tensors)
        dev = corpus.split("dev")
        if not len(dev):
            raise UsageError(f"{corpus.folder}: no dev sentences. Prepare it with --dev 100 or so.")
        saved = Checkpoint.newest(run)
        trainer = cls(
            config=config,
            vocabulary=numbers.vocabulary,
            dev=numbers.split(dev),
            run=run,
            match=match,
            optimizer=build_optimizer(config, match.scheme),
            generator=generator,
            batches=Batches(
                numbers.split(limited(corpus.split("train"), config.training.train_sentences)),
                batch_size=config.training.batch_sentences,
                seed=config.training.seed,
            ),
            log=MetricsLog(run, resume_at=saved.step if saved else 0),
        )
        if saved:
            trainer.restore(saved)
        return trainer

    def train(self, stop: StopRequest, reports: Sequence[Report]) -> Ending:
        """Train until dev is flat, the step limit, or a wish to stop."""
        started, seconds_before = time.monotonic(), self.seconds
        flat = Flatness.of(self.config.training)
        # A rate that falls to 0 makes any run flat; such a run ends with its schedule.
        can_be_flat = self.config.training.schedule == "constant"
        records: list[RoundRecord] = []
        limit, settings = self.config.training.max_steps, self.config.training
        ending: Ending = "step limit"
        is_judged = self.may_be_flat() and self.was_judged_last()
        if can_be_flat and is_judged and flat.reached(self.judged()):
            ending, limit = "flat", self.step  # killed when all but the note was written
        while self.step < limit:
            records.append(self.play())
            self.seconds = seconds_before + time.monotonic() - started
            if self.step % LOG_EVERY_STEPS == 0:
                row = self.note(records)
                for report in reports:
                    report(self.step, row)
                records = []
            if self.step % settings.evaluate_every_steps == 0 or self.step == limit:
                self.judge()
                self.warn_if_collapsed()
                if can_be_flat and self.may_be_flat() and flat.reached(self.judged()):
                    ending = "flat"
                    break
            if self.step % settings.checkpoint_every_steps == 0:
                self.save()
            if stop.made:
                ending = "stopped"
                break
        self.save()
        if ending != "stopped":
            self.finish(ending)
        return ending

    def play(self) -> RoundRecord:
        """Play one round and update everything that learns."""
        batch = self.batches.at(self.step)
        scalar, record = self.match.play(self.step, batch, self.generator)
        if not math.isfinite(record.loss_nats_a_token):
            raise TerselyError(
                f"{self.run}: the loss is no number any more at step {self.step + 1}. The newest "
                "checkpoint is good; try training.gradient_norm_limit = 5.0 or a lower "
                "training.learning_rate."
            )
        self.optimizer.zero_grad()
        scalar.backward()  # type: ignore[no-untyped-call]
        if self.config.training.gradient_norm_limit is not None:
            for parameters in sides(self.match.scheme):
                clip_grad_norm_(parameters, self.config.training.gradient_norm_limit)
        set_rates(self.optimizer, rate_factor(self.step, self.config.training))
        self.optimizer.step()
        self.match.finish(self.step, record)
        self.step += 1
        return record

    def note(self, records: list[RoundRecord]) -> dict[str, float]:
        """Log the rounds since the last note."""
        row = {**average(records), **self.match.figures()}
        tokens = sum(record.tokens for record in records)
        row["tokens_per_second"] = tokens / max(1e-9, self.seconds - self.noted_at)
        self.noted_at = self.seconds
        self.log.write({"step": self.step, "kind": "train", **row, "seconds": self.seconds})
        return row

    def judge(self) -> None:
        """Measure the scheme on dev and log it."""
        figures = self.match.judge(self.dev, self.config.training.evaluate_sentences)
        row = {**figures, **self.match.figures(), "seconds": self.seconds}
        self.log.write({"step": self.step, "kind": "dev", **row})

    def judged(self) -> list[dict[str, Any]]:
        """All judgements so far."""
        return [row for row in self.log.rows if row["kind"] == "dev"]

    def may_be_flat(self) -> bool:
        """Whether the encoder plays already, and has had the time it is given to come down."""
        is_past_first = self.step > self.config.estimator.decoder_first_steps
        return is_past_first and self.step >= self.config.training.flat_after_steps

    def was_judged_last(self) -> bool:
        """Whether the newest judgement is of this very step."""
        return bool(self.judged()) and self.judged()[-1]["step"] == self.step

    def warn_if_collapsed(self) -> None:
        """Say so, once, when q has stopped exploring at one of the ends."""
        rows = [row for row in self.log.rows if row["kind"] == "train"]
        if self.warned or not rows or "weight_tokens_per_nat" not in rows[-1]:
            return
        row = rows[-1]
        at_an_end = row["kept_fraction"] > 0.97 or row["kept_fraction"] < 0.03
        if at_an_end and row["entropy_nats_a_token"] < COLLAPSED_ENTROPY:
            self.warned = True
            what = "all" if row["kept_fraction"] > 0.5 else "none"
            self.log.write(
                {
                    "step": self.step,
                    "kind": "warning",
                    "text": f"q has collapsed to keeping {what} of the tokens and explores no "
                    "more; try estimator.logit_penalty_tokens = 0.005.",
                }
            )

    def save(self) -> None:
        """Write a checkpoint, the model as it is now, and the picture."""
        Checkpoint(
            step=self.step,
            weights=self.match.scheme.state_dict(),
            moments=moments_of(self.optimizer),
            random_state=self.generator.get_state(),
            state={"seconds": self.seconds, "warned": self.warned, **self.match.state()},
        ).save(self.run)
        sentences = self.config.training.evaluate_sentences
        judged = self.judged() or [self.match.judge(self.dev, sentences)]
        as_model(
            self.match,
            self.vocabulary,
            self.config,
            step=self.step,
            encoder=self.match.encoder_settings(self.dev, sentences),
            judged=judged[-1],
        ).save_pretrained(self.run / "model")
        plot_metrics(self.log.rows, self.run / "course.png", title=describe(self.config.objective))

    def restore(self, saved: Checkpoint) -> None:
        """Put everything back as it was when the checkpoint was written."""
        self.step = saved.step
        self.seconds = self.noted_at = saved.state["seconds"]
        self.warned = saved.state["warned"]
        self.match.scheme.load_state_dict(saved.weights)
        restore_moments(self.optimizer, saved.moments)
        self.generator.set_state(saved.random_state)
        self.match.restore(saved.state)

    def finish(self, ending: Ending) -> None:
        """Leave a note that the run is over, and why."""
        result = {
            "ending": ending,
            "steps": self.step,
            "seconds": round(self.seconds, 1),
            "train_sentences": self.batches.sentences,
            "dev": self.judged()[-1],
        }
        with new_file(self.run / "result.json") as partial:
            partial.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def limited(split: Split, sentences: int | None) -> Split:
    """The first sentences of a split, or all of them."""
    if sentences is None or sentences >= len(split):
        return split
    offsets = split.offsets[: sentences + 1]
    return Split(split.tokens[: int(offsets[-1])], offsets)
