"""From a sweep to a folder: page, plots, tables, and the small results they are made from.

OUT/index.html    OUT/plots/*.png, *.svg    OUT/tables/*.csv    OUT/results/
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tersely.errors import UsageError
from tersely.storage.atomic import new_file, new_folder
from tersely_lab.reproduction import examples as examples_module
from tersely_lab.reproduction import robustness
from tersely_lab.reproduction.analysis import Analysis, analyse
from tersely_lab.reproduction.examples import Examples, make_examples, read_examples
from tersely_lab.reproduction.report import html, markdown, plots
from tersely_lab.reproduction.report.document import Document, Figure, Table
from tersely_lab.reproduction.report.sections import document
from tersely_lab.reproduction.report.tables import write_csv
from tersely_lab.reproduction.robustness import Matrix, evaluate_matrix, participants, read_matrix
from tersely_lab.reproduction.runs import Results, Run, read_results
from tersely_lab.reproduction.small_results import keep
from tersely_lab.reproduction.variants import Complete

RESULTS = "results"
NEEDED = {"jinja2": "Jinja2", "matplotlib": "matplotlib"}

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Request:
    """What someone asked to be reported."""

    sweep: Path
    out: Path
    planned: Sequence[str] | None = None  # names of the runs there should be
    sentences: Sequence[str] = ()  # to illustrate, beside the paper's
    matrix_sentences: int = 1000
    draws: int = 1000
    markdown: Path | None = None
    command: str = ""
    complete: Complete = lambda config: config  # a run's config, with settings newer than it


def write_report(request: Request, say: Say) -> Analysis:
    """Read, analyse, write."""
    _check(request)
    results = read_results(request.sweep, request.planned, request.complete)
    matrix, paired = _matrix(request, results, say)
    examples = _examples(request, results)
    say("analysing")
    analysis = analyse(
        results, matrix=matrix, paired=paired, examples=examples, draws=request.draws
    )
    page = document(analysis, request.command)
    keep(results, request.out / RESULTS, matrix=matrix, examples=examples)
    _write(page, request)
    return analysis


def _check(request: Request) -> None:
    missing = [name for module, name in NEEDED.items() if find_spec(module) is None]
    if missing:
        raise UsageError(f'A report needs {missing[0]}. Try: pip install "tersely[report]"')
    if request.out.exists() and not request.out.is_dir():
        raise UsageError(f"{request.out}: a file; --out takes a folder.")
    if request.out.is_dir() and any(request.out.iterdir()) and not _is_report(request.out):
        raise UsageError(f"{request.out}: exists and is no report. Give another --out.")
    if request.markdown is not None and request.markdown.is_dir():
        raise UsageError(f"{request.markdown}: a folder; --markdown takes a file.")


def _is_report(folder: Path) -> bool:
    """A finished one, or one that was interrupted while pairs were decoded."""
    inside = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
    return inside <= {"index.html", "plots", "tables", RESULTS}


def _matrix(request: Request, results: Results, say: Say) -> tuple[Matrix | None, list[Run]]:
    runs = participants(results)
    kept = request.out / RESULTS / robustness.FILE
    known = read_matrix(kept) or read_matrix(request.sweep / robustness.FILE)
    if request.matrix_sentences == 0:
        return None, runs
    found = evaluate_matrix(runs, known, sentences=request.matrix_sentences, keep=kept, say=say)
    return found, runs


def _examples(request: Request, results: Results) -> Examples | None:
    runs = [setting.runs[0] for setting in results.settings("constrained")]
    made = make_examples(runs, request.sentences)
    if made.completed:
        return made
    if request.sentences:
        raise UsageError("--sentence needs a model, and the sweep's runs hold none any more.")
    return read_examples(request.sweep / examples_module.FILE)


def _write(page: Document, request: Request) -> None:
    out = request.out
    with new_folder(out / "plots") as partial:
        for block in page.blocks():
            if isinstance(block, Figure):
                plots.save(block, partial)
    with new_folder(out / "tables") as partial:
        for block in page.blocks():
            if isinstance(block, Table):
                write_csv(block, partial)
    with new_file(out / "index.html") as path:
        path.write_text(html.render(page), encoding="utf-8")
    if request.markdown is not None:
        place = os.path.relpath(out / "plots", request.markdown.parent)
        with new_file(request.markdown) as path:
            path.write_text(markdown.render(page, Path(place).as_posix()), encoding="utf-8")
