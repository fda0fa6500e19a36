"""Small results: what is kept of a sweep so that its page can be made again without weights.

A folder of them reads as a sweep's own (runs.py): of each run run.json, result.json,
evaluation.json, outcomes.json and a thinned metrics.jsonl; beside the runs plan.json,
gaps.json, matrix.json and examples.json. No sentence of the corpus is among them.
"""

import json
from pathlib import Path
from typing import Any

from tersely.evaluation import outcomes
from tersely.storage.atomic import new_folder
from tersely_lab.reproduction import examples as examples_module
from tersely_lab.reproduction import robustness
from tersely_lab.reproduction.examples import Examples
from tersely_lab.reproduction.robustness import Matrix, write_matrix
from tersely_lab.reproduction.runs import GAPS, PLAN, Results, Run


def keep(
    results: Results, folder: Path, *, matrix: Matrix | None, examples: Examples | None
) -> None:
    """Write all of it; the folder appears whole or stays as it was."""
    with new_folder(folder) as partial:
        names = [*(run.name for run in results.runs), *(gap.name for gap in results.gaps)]
        _write(partial / PLAN, names)
        _write(partial / GAPS, {gap.name: gap.reason for gap in results.gaps})
        for run in results.runs:
            _keep_run(run, partial / run.name)
        if matrix is not None:
            write_matrix(matrix, partial / robustness.FILE)
        if examples is not None:
            _write(partial / examples_module.FILE, examples_module.as_json(examples))


def _keep_run(run: Run, folder: Path) -> None:
    folder.mkdir()
    _write(folder / "run.json", run.record)
    _write(folder / "result.json", run.result)
    _write(folder / "evaluation.json", run.figures)
    (folder / "outcomes.json").write_text(outcomes.as_text(run.outcomes), encoding="utf-8")
    lines = "".join(json.dumps(row) + "\n" for row in run.course)
    (folder / "metrics.jsonl").write_text(lines, encoding="utf-8")


def _write(path: Path, found: Any) -> None:
    text = json.dumps(found, indent=2, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
