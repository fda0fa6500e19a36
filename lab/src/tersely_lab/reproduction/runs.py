"""The runs of a sweep: their results read from disk, and the reasons for missing ones.

A run's folder holds run.json, result.json, evaluation.json, metrics.jsonl and either
predictions.jsonl or outcomes.json. A run that cannot be used becomes a gap with a reason; it
does not affect the others.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tersely.errors import TerselyError, UsageError
from tersely.evaluation import outcomes as outcomes_file
from tersely.evaluation.outcomes import Outcomes, count_outcomes, from_json, read_predictions
from tersely.training.config import with_defaults

PLAN_FILE, GAPS_FILE = "plan.json", "gaps.json"
FLAT_AFTER = "flat_after_steps"

Record = dict[str, Any]  # the contents of run.json


@dataclass(frozen=True, slots=True)
class Objective:
    """One of the paper's objectives, with its single parameter."""

    name: str
    parameter: str  # key in the config's [objective] table
    symbol: str
    color: str  # in plots


OBJECTIVES = {
    "constrained": Objective("Constr", "epsilon_nats_per_token", "ε", "#2a6b19"),
    "linear": Objective("Linear", "weight_tokens_per_nat", "λ", "#f29f05"),
    "unif": Objective("Unif", "delta", "δ", "#2b59c3"),
    "stopword": Objective("Stopword", "delta", "δ", "#c8333a"),
}


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run."""

    name: str
    folder: Path
    kind: str  # key of OBJECTIVES
    parameter: float  # ε, λ or δ
    seed: int
    record: Record  # run.json
    result: dict[str, Any]  # result.json
    evaluation: dict[str, Any]  # evaluation.json
    outcomes: Outcomes
    log: tuple[dict[str, Any], ...]  # metrics.jsonl: evaluations on dev, a train line before each
    is_variant: bool = False  # differs from most runs in more than objective and seed

    @property
    def label(self) -> str:
        """The paper's notation, such as Constr(0.4)."""
        return f"{OBJECTIVES[self.kind].name}({self.parameter:g})"


@dataclass(frozen=True, slots=True)
class Gap:
    """A run that is missing or unusable."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a curve: one objective at one parameter, with one run or more by seed."""

    kind: str
    parameter: float
    runs: tuple[Run, ...]

    @property
    def label(self) -> str:
        """The paper's notation, such as Constr(0.4)."""
        return self.runs[0].label


@dataclass(frozen=True, slots=True)
class Results:
    """The finished runs of a sweep and its gaps."""

    folder: Path
    runs: tuple[Run, ...]
    gaps: tuple[Gap, ...]

    def points(self, kind: str | None = None) -> list[Point]:
        """Return the points of one kind, or of all, by rising parameter; variants are left out."""
        groups: dict[tuple[str, float], list[Run]] = {}
        for run in self.runs:
            if not run.is_variant and kind in (None, run.kind):
                groups.setdefault((run.kind, run.parameter), []).append(run)
        kinds = list(OBJECTIVES)
        return [
            Point(*key, tuple(sorted(runs, key=lambda run: run.seed)))
            for key, runs in sorted(
                groups.items(), key=lambda item: (kinds.index(item[0][0]), item[0][1])
            )
        ]

    def of_kind(self, kind: str) -> list[Run]:
        """Return the runs of one objective, every seed; variants are left out."""
        return [run for run in self.runs if run.kind == kind and not run.is_variant]


def read_results(folder: Path, planned: Sequence[str] | None = None) -> Results:
    """Read a sweep's folder or its small results; `planned` names the runs it should have."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; give the folder of a sweep.")
    started = [
        path.name
        for path in sorted(folder.iterdir())
        if path.is_dir() and not path.name.startswith(".") and (path / "run.json").exists()
    ]
    names = list(planned) if planned is not None else _planned_names(folder)
    known_reasons = _known_reasons(folder)
    runs: list[Run] = []
    gaps: list[Gap] = []
    for name in [*names, *(name for name in started if name not in names)]:
        try:
            runs.append(_read_run(folder / name))
        except TerselyError as error:
            reason = str(error).removeprefix(f"{folder / name}").lstrip("/: ")
            gaps.append(Gap(name, known_reasons.get(name, reason)))
    if not runs:
        reasons = "; ".join(f"{gap.name}: {gap.reason}" for gap in gaps[:2])
        raise UsageError(f"{folder}: no finished run" + (f" ({reasons})" if reasons else "") + ".")
    comparable, others = _on_the_same_sentences(runs)
    return Results(folder, _with_variants(comparable), (*gaps, *others))


def write_results(results: Results, folder: Path) -> None:
    """Write small results: what `read_results` needs, without weights and without sentences."""
    names = [*(run.name for run in results.runs), *(gap.name for gap in results.gaps)]
    _write_json(folder / PLAN_FILE, names)
    _write_json(folder / GAPS_FILE, {gap.name: gap.reason for gap in results.gaps})
    for run in results.runs:
        (folder / run.name).mkdir()
        _write_json(folder / run.name / "run.json", run.record)
        _write_json(folder / run.name / "result.json", run.result)
        _write_json(folder / run.name / "evaluation.json", run.evaluation)
        text = outcomes_file.as_text(run.outcomes)
        (folder / run.name / "outcomes.json").write_text(text, encoding="utf-8")
        lines = "".join(json.dumps(row) + "\n" for row in run.log)
        (folder / run.name / "metrics.jsonl").write_text(lines, encoding="utf-8")


def are_variants(records: Sequence[Record], steps: Iterable[int]) -> list[bool]:
    """Return for each run whether its config differs from that of most runs.

    Objective, parameter and seed may differ, and settings without effect on the training: how
    often checkpoints were written, and the step from which a run may end as flat, if it trained
    beyond the latest of these steps. Settings that are newer than a run count at their defaults.
    """
    configs = [json.loads(json.dumps(with_defaults(record["config"]))) for record in records]
    latest = max((config["training"].get(FLAT_AFTER, 0) for config in configs), default=0)
    parameters = {objective.parameter for objective in OBJECTIVES.values()}
    compared = []
    for record, config, trained in zip(records, configs, steps, strict=True):
        for key in ("kind", *parameters):
            config["objective"].pop(key, None)
        ignored = ["seed", "checkpoint_every_steps", *([FLAT_AFTER] if trained >= latest else [])]
        for key in ignored:
            config["training"].pop(key, None)
        compared.append(json.dumps([config, record.get("data")], sort_keys=True))
    usual = Counter(compared).most_common(1)
    return [text != usual[0][0] for text in compared]


def _planned_names(folder: Path) -> list[str]:
    path = folder / PLAN_FILE
    if not path.exists():
        return []
    names = _read_json(path)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise TerselyError(f"{path}: expected a JSON list of run names.")
    return names


def _known_reasons(folder: Path) -> dict[str, str]:
    """Return the gaps that were recorded when small results were written."""
    path = folder / GAPS_FILE
    reasons = _read_json(path) if path.exists() else {}
    if not isinstance(reasons, dict):
        raise TerselyError(f"{path}: expected a JSON object of run names and reasons.")
    return {str(name): str(reason) for name, reason in reasons.items()}


def _read_run(folder: Path) -> Run:
    if not folder.is_dir():
        raise TerselyError(f"{folder}: not there (not started, or not kept)")
    if not (folder / "result.json").exists():
        raise TerselyError(f"{folder}: not finished (no result.json)")
    if not (folder / "evaluation.json").exists():
        raise TerselyError(f"{folder}: not evaluated yet (no evaluation.json)")
    record, result, evaluation = (
        _read_json(folder / name) for name in ("run.json", "result.json", "evaluation.json")
    )
    try:
        objective = record["config"]["objective"]
        kind = str(objective["kind"])
        if kind not in OBJECTIVES:
            raise TerselyError(f"{folder}: objective {kind!r} is none of the paper's")
        run = Run(
            name=folder.name,
            folder=folder,
            kind=kind,
            parameter=float(objective[OBJECTIVES[kind].parameter]),
            seed=int(record["config"]["training"]["seed"]),
            record=record,
            result=result,
            evaluation=evaluation,
            outcomes=_read_outcomes(folder),
            log=_read_log(folder / "metrics.jsonl"),
        )
        _check(run)
    except (KeyError, TypeError, ValueError) as error:
        raise TerselyError(f"{folder}: broken results ({type(error).__name__}: {error})") from error
    return run


def _read_outcomes(folder: Path) -> Outcomes:
    """Read predictions if there are any: parts of speech can still be counted in them."""
    predictions, outcomes = folder / "predictions.jsonl", folder / "outcomes.json"
    if not outcomes.exists() and not predictions.exists():
        raise TerselyError(f"{folder}: neither outcomes.json nor predictions.jsonl")
    try:
        if predictions.exists():
            return count_outcomes(read_predictions(predictions))
        return from_json(_read_json(outcomes))
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise TerselyError(f"{outcomes}: broken ({type(error).__name__}: {error})") from error


def _read_log(path: Path) -> tuple[dict[str, Any], ...]:
    """Return the evaluations on dev, each after the last training line that precedes it."""
    if not path.exists():
        raise TerselyError(f"{path}: not there")
    rows = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:  # cut off by a crash
            break
    thinned: list[dict[str, Any]] = []
    latest = None
    for row in rows:
        if row["kind"] == "train":
            latest = row
        elif row["kind"] == "dev":
            thinned += [row] if latest is None else [latest, row]
            latest = None
    return tuple(thinned)


def _check(run: Run) -> None:
    """Require that outcomes and evaluation.json stem from the same predictions."""
    outcomes = run.outcomes
    recomputed = {
        "typed_fraction": outcomes.typed.sum() / outcomes.tokens.sum(),
        "exact_match": outcomes.exact.mean(),
        "exact_match_served": outcomes.served.mean(),
        "top3": outcomes.in_top3.mean(),
    }
    for name, value in recomputed.items():
        if abs(float(run.evaluation[name]) - float(value)) > 1e-9:
            raise TerselyError(
                f"{run.folder}: {name} is {run.evaluation[name]:.4f} in evaluation.json and "
                f"{value:.4f} in the predictions: they are not of the same evaluation"
            )
    for key in ("steps", "seconds", "train_sentences"):
        float(run.result[key])


def _on_the_same_sentences(runs: Sequence[Run]) -> tuple[list[Run], list[Gap]]:
    """Separate the runs evaluated on the most common test sentences from the others."""
    usual = Counter(run.outcomes.fingerprint for run in runs).most_common(1)[0][0]
    others = [
        Gap(run.name, "evaluated on other sentences than most runs")
        for run in runs
        if run.outcomes.fingerprint != usual
    ]
    return [run for run in runs if run.outcomes.fingerprint == usual], others


def _with_variants(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Mark runs of unusual config, and repetitions of the same objective, parameter and seed."""
    variants = are_variants(
        [run.record for run in runs], [int(run.result["steps"]) for run in runs]
    )
    seen: set[tuple[str, float, int]] = set()
    marked = []
    for run, is_variant in zip(runs, variants, strict=True):
        key = (run.kind, run.parameter, run.seed)
        marked.append(replace(run, is_variant=is_variant or key in seen))
        if not is_variant:
            seen.add(key)
    return tuple(marked)


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TerselyError(f"{path}: cannot be read ({error})") from error


def _write_json(path: Path, contents: Any) -> None:
    text = json.dumps(contents, indent=2, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
