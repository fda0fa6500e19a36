"""Sweep: a queue of runs over one base config, described by a TOML file.

    base = "paper.toml"                 # base config, beside this file

    [common]                            # changes for all runs
    "model.softmax" = "adaptive"

    [[runs]]                            # in the order in which they are run
    name = "constrained-0.5"
    seeds = [1, 2, 3]
    set = { "objective.epsilon_nats_per_token" = 0.5 }

Each run has its own process and folder; its run.json holds its command. Finished runs are
skipped and unfinished ones resumed. A run that fails is reported and does not stop the others. A
run that finishes is evaluated, and its small result files are copied.
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
from tersely.training.toml_config import read_toml

RESULT_FILES = (
    "run.json",
    "result.json",
    "evaluation.json",
    "outcomes.json",
    "metrics.jsonl",
    "course.png",
)
POLL_SECONDS = 2.0

Status = Literal["waiting", "training", "evaluating", "done", "failed"]


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A run of the queue."""

    name: str
    changes: tuple[str, ...]  # as `tersely train --set` takes them
    max_steps: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The runs of a sweep, in order."""

    base: Path
    runs: tuple[PlannedRun, ...]


@dataclass(frozen=True, slots=True)
class SweepSettings:
    """The arguments of `tersely sweep`."""

    data: Path
    out: Path
    parallel: int = 1
    threads: int | None = None
    evaluate_sentences: int | None = None
    results: Path | None = None  # folder for copies of the result files


def load_plan(path: Path) -> Plan:
    """Read a plan and check the config of every run."""
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
            raise UsageError(f"{path}: {name!r} must be a name that occurs only once.")
    runs = [
        PlannedRun(
            name, changes, with_changes(config, changes, where=f"{path}: {name}").training.max_steps
        )
        for name, changes in expanded
    ]
    return Plan(base, tuple(runs))


def _expand(
    path: Path, common: dict[str, Any], tables: Iterable[Any]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the name and the changes of each run, one for each seed."""
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
    """A run that is being trained or evaluated."""

    planned: PlannedRun
    status: Status
    child: subprocess.Popen[bytes]


class Sweep:
    """Runs a plan."""

    def __init__(self, plan: Plan, settings: SweepSettings) -> None:
        self.plan = plan
        self.settings = settings
        self.failed: set[str] = set()
        self._processes: list[_Process] = []

    def run(self, show: Callable[["Sweep"], None]) -> None:
        """Run everything that is not done; `show` is called at every poll."""
        self.settings.out.mkdir(parents=True, exist_ok=True)
        self._write_plan()
        self._write_test_sentences()
        try:
            while True:
                self._poll_processes()
                self._start_waiting_runs()
                show(self)
                if not self._processes:
                    return
                time.sleep(POLL_SECONDS)
        finally:
            self._stop_processes()

    def status(self, planned: PlannedRun) -> Status:
        """Return the status of a run."""
        for process in self._processes:
            if process.planned == planned:
                return process.status
        if planned.name in self.failed:
            return "failed"
        return "done" if (self.folder(planned) / "evaluation.json").exists() else "waiting"

    def folder(self, planned: PlannedRun) -> Path:
        """Return the folder of a run."""
        return self.settings.out / planned.name

    def latest(self, planned: PlannedRun) -> dict[str, Any]:
        """Return the newest metrics of a run, and its evaluation if there is one."""
        rows = read_metrics(self.folder(planned) / "metrics.jsonl")
        latest: dict[str, Any] = {}
        for row in rows:
            if row["kind"] in ("train", "dev"):
                latest.update({key: value for key, value in row.items() if key != "kind"})
        evaluation = self.folder(planned) / "evaluation.json"
        if evaluation.exists():
            latest.update(json.loads(evaluation.read_text(encoding="utf-8")))
        return latest

    def _start_waiting_runs(self) -> None:
        for planned in self.plan.runs:
            if len(self._processes) >= self.settings.parallel:
                return
            if self.status(planned) == "waiting":
                is_trained = (self.folder(planned) / "result.json").exists()
                self._start(planned, "evaluating" if is_trained else "training")

    def _start(self, planned: PlannedRun, status: Status) -> None:
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
                start_new_session=True,  # Ctrl-C is passed on by _stop_processes
            )
        self._processes.append(_Process(planned, status, child))

    def _poll_processes(self) -> None:
        for process in list(self._processes):
            code = process.child.poll()
            if code is None:
                continue
            self._processes.remove(process)
            folder = self.folder(process.planned)
            if code != 0 and not (
                process.status == "training" and (folder / "result.json").exists()
            ):
                self.failed.add(process.planned.name)
            elif process.status == "training":
                self._start(process.planned, "evaluating")
            else:
                (folder / "evaluation.json.partial").replace(folder / "evaluation.json")
                self._copy_results(process.planned)

    def _stop_processes(self) -> None:
        for process in self._processes:
            process.child.terminate()
        for process in self._processes:
            process.child.wait()

    def _train_command(self, planned: PlannedRun) -> list[str]:
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

    def _evaluate_command(self, planned: PlannedRun) -> list[str]:
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
        """Write the names of all runs, so that a report can list the missing ones."""
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

    def _copy_results(self, planned: PlannedRun) -> None:
        if self.settings.results is None:
            return
        target = self.settings.results / planned.name
        target.mkdir(parents=True, exist_ok=True)
        for name in RESULT_FILES:
            source = self.folder(planned) / name
            if source.exists():
                shutil.copyfile(source, target / name)


def summary_rows(sweep: Sweep) -> Sequence[dict[str, Any]]:
    """Return the rows of the live table: one per run, with an upper bound of the time left."""
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
    mean_pace = sum(paces) / len(paces) if paces else None
    for row in rows:
        pace = row["seconds"] / row["step"] if row.get("step") else mean_pace
        if pace is not None and row["status"] in ("waiting", "training"):
            row["seconds_left"] = pace * max(0, row["max_steps"] - row.get("step", 0))
    return rows
