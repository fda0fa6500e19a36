"""The runs of a sweep: what each one left, and which are missing, broken or not done yet.

A run's folder needs run.json, result.json, evaluation.json, metrics.jsonl and either
outcomes.json or predictions.jsonl. Whatever is wrong with one run is told and concerns
that run alone.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tersely.errors import TerselyError, UsageError
from tersely.evaluation.outcomes import Outcomes, count_outcomes, from_json, read_predictions
from tersely_lab.reproduction.variants import Complete, are_unusual

PLAN, GAPS = "plan.json", "gaps.json"
NAMES = {"constrained": "Constr", "linear": "Linear", "unif": "Unif", "stopword": "Stopword"}
PARAMETERS = {
    "constrained": "epsilon_nats_per_token",
    "linear": "weight_tokens_per_nat",
    "unif": "delta",
    "stopword": "delta",
}
SYMBOLS = {"constrained": "ε", "linear": "λ", "unif": "δ", "stopword": "δ"}


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run."""

    name: str
    folder: Path
    kind: str
    parameter: float  # ε, λ or δ
    seed: int
    record: dict[str, Any]  # run.json
    result: dict[str, Any]
    figures: dict[str, Any]  # evaluation.json
    outcomes: Outcomes
    course: tuple[dict[str, Any], ...]  # lines of metrics.jsonl, thinned
    is_variant: bool = False  # differs from most runs in more than its point and its seed

    @property
    def label(self) -> str:
        """Constr(0.4), as the paper writes it."""
        return f"{NAMES[self.kind]}({self.parameter:g})"

    @property
    def is_flat(self) -> bool:
        """Whether it stopped because nothing moved any more."""
        return bool(self.result.get("ending") == "flat")


@dataclass(frozen=True, slots=True)
class Gap:
    """A run that is not there, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Setting:
    """A point of a curve: the same objective, with one run or more that differ in seed."""

    kind: str
    parameter: float
    runs: tuple[Run, ...]

    @property
    def label(self) -> str:
        """Constr(0.4), as the paper writes it."""
        return self.runs[0].label


@dataclass(frozen=True, slots=True)
class Results:
    """All that a sweep has come to."""

    folder: Path
    runs: tuple[Run, ...]
    gaps: tuple[Gap, ...]

    def settings(self, kind: str | None = None) -> list[Setting]:
        """Points, by kind and rising parameter; variants are none."""
        found: dict[tuple[str, float], list[Run]] = {}
        for run in self.runs:
            if not run.is_variant and kind in (None, run.kind):
                found.setdefault((run.kind, run.parameter), []).append(run)
        order = list(NAMES)
        return [
            Setting(*key, tuple(sorted(runs, key=lambda run: run.seed)))
            for key, runs in sorted(
                found.items(), key=lambda item: (order.index(item[0][0]), item[0][1])
            )
        ]


def read_results(
    folder: Path,
    planned: Sequence[str] | None = None,
    complete: Complete = lambda config: config,
) -> Results:
    """Read a sweep's folder; a run that cannot be used becomes a gap with its reason.

    `complete` adds what configs lack that were written before some settings existed.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; a sweep's is needed.")
    names = [
        path.name
        for path in sorted(folder.iterdir())
        if path.is_dir() and not path.name.startswith(".") and (path / "run.json").exists()
    ]
    wanted = list(planned) if planned is not None else _planned(folder)
    known_gaps = _known_gaps(folder)
    runs: list[Run] = []
    gaps: list[Gap] = []
    for name in [*wanted, *(name for name in names if name not in wanted)]:
        try:
            runs.append(_read_run(folder / name))
        except TerselyError as error:
            reason = str(error).removeprefix(f"{folder / name}").lstrip("/: ")
            gaps.append(Gap(name, known_gaps.get(name, reason)))
    if not runs:
        told = "; ".join(f"{gap.name}: {gap.reason}" for gap in gaps[:2])
        raise UsageError(f"{folder}: no finished run" + (f" ({told})" if told else "") + ".")
    kept, others = _on_the_same_sentences(runs)
    return Results(folder, _with_variants(kept, complete), (*gaps, *others))


def _planned(folder: Path) -> list[str]:
    path = folder / PLAN
    if not path.exists():
        return []
    found = _read_json(path)
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise TerselyError(f"{path}: not a list of names.")
    return found


def _known_gaps(folder: Path) -> dict[str, str]:
    """Why runs were missing when small results were kept."""
    path = folder / GAPS
    found = _read_json(path) if path.exists() else {}
    if not isinstance(found, dict):
        raise TerselyError(f"{path}: not a table of names and reasons.")
    return {str(name): str(reason) for name, reason in found.items()}


def _read_run(folder: Path) -> Run:
    if not folder.is_dir():
        raise TerselyError(f"{folder}: not there (not started, or not kept)")
    if not (folder / "result.json").exists():
        raise TerselyError(f"{folder}: not finished (no result.json)")
    if not (folder / "evaluation.json").exists():
        raise TerselyError(f"{folder}: not evaluated yet (no evaluation.json)")
    record, result, figures = (
        _read_json(folder / name) for name in ("run.json", "result.json", "evaluation.json")
    )
    try:
        objective = record["config"]["objective"]
        kind = str(objective["kind"])
        if kind not in NAMES:
            raise TerselyError(f"{folder}: objective {kind!r} is none of the paper's")
        run = Run(
            name=folder.name,
            folder=folder,
            kind=kind,
            parameter=float(objective[PARAMETERS[kind]]),
            seed=int(record["config"]["training"]["seed"]),
            record=record,
            result=result,
            figures=figures,
            outcomes=_read_outcomes(folder),
            course=_read_course(folder / "metrics.jsonl"),
        )
        _check(run)
    except (KeyError, TypeError, ValueError) as error:
        raise TerselyError(f"{folder}: broken results ({type(error).__name__}: {error})") from error
    return run


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TerselyError(f"{path}: cannot be read ({error})") from error


def _read_outcomes(folder: Path) -> Outcomes:
    """Predictions first: they are the source, and can be tagged if that was not done yet."""
    predictions, outcomes = folder / "predictions.jsonl", folder / "outcomes.json"
    if not outcomes.exists() and not predictions.exists():
        raise TerselyError(f"{folder}: neither outcomes.json nor predictions.jsonl")
    try:
        if predictions.exists():
            return count_outcomes(read_predictions(predictions))
        return from_json(_read_json(outcomes))
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise TerselyError(f"{outcomes}: broken ({type(error).__name__}: {error})") from error


def _read_course(path: Path) -> tuple[dict[str, Any], ...]:
    """The judgements on dev, and of the lines about training the last one up to each."""
    if not path.exists():
        raise TerselyError(f"{path}: not there")
    rows = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:  # cut off by a crash
            break
    found: list[dict[str, Any]] = []
    latest = None
    for row in rows:
        if row["kind"] == "train":
            latest = row
        elif row["kind"] == "dev":
            found += [row] if latest is None else [latest, row]
            latest = None
    return tuple(found)


def _check(run: Run) -> None:
    """Outcomes and evaluation.json must speak of the same predictions."""
    own = run.outcomes
    recomputed = {
        "typed_fraction": own.typed.sum() / own.tokens.sum(),
        "exact_match": own.exact.mean(),
        "exact_match_served": own.served.mean(),
        "top3": own.in_top3.mean(),
    }
    for name, value in recomputed.items():
        if abs(float(run.figures[name]) - float(value)) > 1e-9:
            raise TerselyError(
                f"{run.folder}: evaluation.json says {name} {run.figures[name]:.4f}, its "
                f"predictions {value:.4f}: they are not of the same evaluation"
            )
    for key in ("steps", "seconds", "train_sentences"):
        float(run.result[key])


def _on_the_same_sentences(runs: Sequence[Run]) -> tuple[list[Run], list[Gap]]:
    """Figures can only be compared on the same test sentences: those that most runs have."""
    usual = Counter(run.outcomes.fingerprint for run in runs).most_common(1)[0][0]
    others = [
        Gap(run.name, "evaluated on other sentences than most runs")
        for run in runs
        if run.outcomes.fingerprint != usual
    ]
    return [run for run in runs if run.outcomes.fingerprint == usual], others


def _with_variants(runs: Sequence[Run], complete: Complete) -> tuple[Run, ...]:
    """Mark runs that differ from most beyond point and seed, and those of a point already seen."""
    unusual = are_unusual(
        [run.record for run in runs],
        [int(run.result["steps"]) for run in runs],
        [*PARAMETERS.values()],
        complete,
    )
    seen: set[tuple[str, float, int]] = set()
    found = []
    for run, is_unusual in zip(runs, unusual, strict=True):
        point = (run.kind, run.parameter, run.seed)
        found.append(replace(run, is_variant=is_unusual or point in seen))
        if not is_unusual:
            seen.add(point)
    return tuple(found)
