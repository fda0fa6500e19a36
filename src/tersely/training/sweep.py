"""Sweep: one TOML → a queue of runs, worked off in order.

    base = "paper.toml"                 # config that all runs start from, beside this file

    [common]                            # changes that hold for all runs
    "model.softmax" = "adaptive"

    [[runs]]                            # in the order in which they are run
    name = "constrained-0.5"
    seeds = [1, 2, 3]
    set = { "objective.epsilon_nats_per_token" = 0.5 }

Each run is a process and a folder of its own, started by a command that its run.json
tells. What is finished is skipped, what is not goes on; a run that fails is reported
and stops no other. When one finishes, it is evaluated and its small results are kept.
"""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tersely.corpus.dataset import PreparedCorpus
from tersely.errors import UsageError
from tersely.model.location import is_model_name
from tersely.storage.atomic import new_file
from tersely.training.config import load_config, with_changes
from tersely.training.metrics import read_metrics
from tersely.training.tables import read_toml

SMALL_RESULTS = (
    "run.json",
    "result.json",
    "evaluation.json",
    "outcomes.json",
    "metrics.jsonl",
    "course.png",
)
LOOK_EVERY_SECONDS = 2.0

Status = Literal["waiting", "training", "evaluating", "done", "failed"]


@dataclass(frozen=True, slots=True)
class Planned:
    """One run of the queue."""

    name: str
    changes: tuple[str, ...]  # as `tersely train --set` takes them
    max_steps: int


@dataclass(frozen=True, slots=True)
class Plan:
    """A queue of runs over one base config."""

    base: Path
    runs: tuple[Planned, ...]


@dataclass(frozen=True, slots=True)
class SweepSettings:
    """Where and how a sweep runs."""

    data: Path
    out: Path
    parallel: int = 1
    threads: int | None = None
    evaluate_sentences: int | None = None
    results: Path | None = None  # where small results are also copied to


def load_plan(path: Path) -> Plan:
    """Read a sweep's TOML and check every run's config before any of them starts."""
    tables = read_toml(path)
    unknown = set(tables) - {"base", "common", "runs"}
    if unknown or not isinstance(tables.get("base"), str) or not tables.get("runs"):
        raise UsageError(
            f"{path}: a sweep has base, common and [[runs]]"
            + (f"; not {', '.join(sorted(unknown))}." if unknown else ".")
        )
    base = path.parent / tables["base"]
    config = load_config(base)
    expanded = list(_expand(path, tables.get("common", {}), tables["runs"]))
    names = [name for name, _ in expanded]
    for name in names:
        if names.count(name) > 1 or not is_model_name(name):
            raise UsageError(f"{path}: {name!r} must be a name, and stand only once.")
    runs = [
        Planned(name, changes, with_changes(config, changes).training.max_steps)
        for name, changes in expanded
    ]
    return Plan(base, tuple(runs))


def _expand(
    path: Path, common: dict[str, Any], tables: Iterable[Any]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the name and the changes of each run, a run for each seed."""
    for table in tables:
        if (
            not isinstance(table, dict)
            or set(table) - {"name", "seeds", "set"}
            or "name" not in table
        ):
            raise UsageError(f"{path}: a run has name, seeds and set; not {table!r:.80}.")
        seeds = table.get("seeds", [1])
        for seed in seeds:
            changes = {**common, **table.get("set", {}), "training.seed": seed}
            name = table["name"] if len(seeds) == 1 else f"{table['name']}-seed{seed}"
            yield name, tuple(f"{key}={json.dumps(value)}" for key, value in changes.items())


@dataclass(slots=True)
class _Process:
    """A run under way."""

    planned: Planned
    status: Status
    child: subprocess.Popen[bytes]


class Sweep:
    """Works a plan off."""

    def __init__(self, plan: Plan, settings: SweepSettings) -> None:
        self.plan = plan
        self.settings = settings
        self.failed: set[str] = set()
        self._under_way: list[_Process] = []

    def run(self, show: Callable[["Sweep"], None]) -> None:
        """Run everything that is not done; `show` is called as things change."""
        self.settings.out.mkdir(parents=True, exist_ok=True)
        self._write_plan()
        self._write_test_sentences()
        try:
            while True:
                self._look_after_children()
                self._start_what_fits()
                show(self)
                if not self._under_way:
                    return
                time.sleep(LOOK_EVERY_SECONDS)
        finally:
            self._stop_children()

    def status(self, planned: Planned) -> Status:
        """Where a run stands."""
        for process in self._under_way:
            if process.planned == planned:
                return process.status
        if planned.name in self.failed:
            return "failed"
        return "done" if (self.folder(planned) / "evaluation.json").exists() else "waiting"

    def folder(self, planned: Planned) -> Path:
        """The run's folder."""
        return self.settings.out / planned.name

    def latest(self, planned: Planned) -> dict[str, Any]:
        """The newest figures of a run, wherever it stands."""
        rows = read_metrics(self.folder(planned) / "metrics.jsonl")
        latest: dict[str, Any] = {}
        for row in rows:
            if row["kind"] in ("train", "dev"):
                latest.update({key: value for key, value in row.items() if key != "kind"})
        evaluation = self.folder(planned) / "evaluation.json"
        if evaluation.exists():
            latest.update(json.loads(evaluation.read_text(encoding="utf-8")))
        return latest

    def _start_what_fits(self) -> None:
        for planned in self.plan.runs:
            if len(self._under_way) >= self.settings.parallel:
                return
            if self.status(planned) == "waiting":
                is_trained = (self.folder(planned) / "result.json").exists()
                self._start(planned, "evaluating" if is_trained else "training")

    def _start(self, planned: Planned, status: Status) -> None:
        command = self._train_command(planned)
        if status == "evaluating":
            command = self._evaluate_command(planned)
        log = self.settings.out / f"{planned.name}.log"
        with log.open("ab") as file:
            child = subprocess.Popen(
                [sys.executable, "-m", "tersely", *command],
                stdout=file,
                stderr=file,
                stdin=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is ours to pass on
            )
        self._under_way.append(_Process(planned, status, child))

    def _look_after_children(self) -> None:
        for process in list(self._under_way):
            code = process.child.poll()
            if code is None:
                continue
            self._under_way.remove(process)
            folder = self.folder(process.planned)
            if code != 0 and not (
                process.status == "training" and (folder / "result.json").exists()
            ):
                self.failed.add(process.planned.name)
            elif process.status == "training":
                self._start(process.planned, "evaluating")
            else:
                (folder / "evaluation.json.partial").replace(folder / "evaluation.json")
                self._keep_small_results(process.planned)

    def _stop_children(self) -> None:
        for process in self._under_way:
            process.child.terminate()
        for process in self._under_way:
            process.child.wait()

    def _train_command(self, planned: Planned) -> list[str]:
        threads = ["--threads", str(self.settings.threads)] if self.settings.threads else []
        changes = [part for change in planned.changes for part in ("--set", change)]
        return [
            "train",
            *("--config", str(self.plan.base)),
            *("--data", str(self.settings.data)),
            *("--out", str(self.folder(planned))),
            *threads,
            *changes,
        ]

    def _evaluate_command(self, planned: Planned) -> list[str]:
        folder = self.folder(planned)
        limit = self.settings.evaluate_sentences
        return [
            "evaluate",
            *("--model", str(folder)),
            *("--sentences", str(self.settings.out / "test.txt")),
            *("--predictions", str(folder / "predictions.jsonl")),
            *("--outcomes", str(folder / "outcomes.json")),
            *("--json-to", str(folder / "evaluation.json.partial")),
            *(("--limit", str(limit)) if limit else ()),
        ]

    def _write_plan(self) -> None:
        """Leave the names of all runs, so that a report can tell which are missing."""
        names = json.dumps([planned.name for planned in self.plan.runs], indent=2)
        for folder in (self.settings.out, self.settings.results):
            if folder is not None:
                with new_file(folder / "plan.json") as partial:
                    partial.write_text(names + "\n", encoding="utf-8")

    def _write_test_sentences(self) -> None:
        path = self.settings.out / "test.txt"
        if path.exists():
            return
        corpus = PreparedCorpus.open(self.settings.data)
        with new_file(path) as partial, partial.open("w", encoding="utf-8") as file:
            file.writelines(sentence + "\n" for sentence in corpus.sentences("test"))

    def _keep_small_results(self, planned: Planned) -> None:
        if self.settings.results is None:
            return
        target = self.settings.results / planned.name
        target.mkdir(parents=True, exist_ok=True)
        for name in SMALL_RESULTS:
            source = self.folder(planned) / name
            if source.exists():
                shutil.copyfile(source, target / name)


def summary_rows(sweep: Sweep) -> Sequence[dict[str, Any]]:
    """What the live table shows: a row a run, with the most time it may still take."""
    rows = [
        {
            "name": planned.name,
            "status": sweep.status(planned),
            "max_steps": planned.max_steps,
            **sweep.latest(planned),
        }
        for planned in sweep.plan.runs
    ]
    paces = [row["seconds"] / row["step"] for row in rows if row.get("step")]
    usual = sum(paces) / len(paces) if paces else None
    for row in rows:
        pace = row["seconds"] / row["step"] if row.get("step") else usual
        if pace is not None and row["status"] in ("waiting", "training"):
            row["seconds_left"] = pace * max(0, row["max_steps"] - row.get("step", 0))
    return rows
