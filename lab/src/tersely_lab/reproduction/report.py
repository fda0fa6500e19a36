"""The report on a sweep: page, plots, tables, and the small results they are made from.

OUT/index.html    OUT/plots/*.png, *.svg    OUT/tables/*.csv    OUT/results/

OUT/results holds no weights and no sentence of the corpus, and reads like the sweep itself.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tersely.errors import UsageError
from tersely.storage.atomic import new_file, new_folder
from tersely_lab.reproduction import (
    figure2,
    figure3,
    kept_words,
    restarts,
    scale,
    stability,
    summary,
    table1,
    table2,
    user_study,
)
from tersely_lab.reproduction.cross_decoding import (
    MATRIX_FILE,
    Matrix,
    OnProgress,
    evaluate_matrix,
    participants,
    read_matrix,
    write_matrix,
)
from tersely_lab.reproduction.document import Document, Figure, Table
from tersely_lab.reproduction.rendering import render_html, render_markdown, save_figure, write_csv
from tersely_lab.reproduction.runs import Results, read_results, write_results
from tersely_lab.reproduction.sweep import Sweep, resampled
from tersely_lab.reproduction.table1 import (
    EXAMPLES_FILE,
    Examples,
    make_examples,
    read_examples,
    write_examples,
)
from tersely_lab.reproduction.verdicts import Reproduction

TITLE = "Learning Autocomplete Systems as a Communication Game, reproduced"
RESULTS = "results"


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What to report on, and where to write it."""

    sweep: Path
    out: Path
    planned: Sequence[str] | None = None  # names of the runs the sweep should have
    sentences: Sequence[str] = ()  # to illustrate, beside the paper's
    matrix_sentences: int = 1000
    draws: int = 1000
    markdown: Path | None = None
    command: str = ""


def write_report(options: ReportOptions, on_progress: OnProgress) -> Results:
    """Read a sweep, reproduce the paper's items and write the report; return what was read."""
    _check(options)
    results = read_results(options.sweep, options.planned)
    matrix = _matrix(options, results, on_progress)
    examples = _examples(options, results)
    on_progress("analysing")
    sweep = resampled(results, draws=options.draws)
    document = make_document(sweep, reproduce(sweep, matrix, examples), options.command)
    write_small_results(results, options.out / RESULTS, matrix=matrix, examples=examples)
    _write(document, options)
    return results


def reproduce(
    sweep: Sweep, matrix: Matrix | None = None, examples: Examples | None = None
) -> list[Reproduction]:
    """Reproduce every item, in the paper's order."""
    return [
        figure2.reproduce(sweep),
        figure3.reproduce(sweep),
        stability.reproduce(sweep),
        table2.reproduce(sweep, matrix),
        kept_words.reproduce(sweep),
        restarts.reproduce(sweep),
        table1.reproduce(sweep, examples),
        user_study.reproduce(),
        scale.reproduce(sweep),
    ]


def make_document(sweep: Sweep, items: Sequence[Reproduction], command: str) -> Document:
    """Put the page together, with all verdicts first."""
    verdicts = [verdict for item in items for verdict in item.verdicts]
    sections = [section for item in items for section in item.sections]
    return Document(TITLE, (summary.section(sweep, verdicts, command), *sections))


def write_small_results(
    results: Results, folder: Path, *, matrix: Matrix | None, examples: Examples | None
) -> None:
    """Write what the page is made from; the folder is replaced as a whole."""
    with new_folder(folder) as partial:
        write_results(results, partial)
        if matrix is not None:
            write_matrix(matrix, partial / MATRIX_FILE)
        if examples is not None:
            write_examples(examples, partial / EXAMPLES_FILE)


def _check(options: ReportOptions) -> None:
    out, markdown = options.out, options.markdown
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: a file; --out takes a folder.")
    if out.is_dir() and any(out.iterdir()) and not _is_report(out):
        raise UsageError(f"{out}: exists and is not a report. Give another --out.")
    if markdown is not None and markdown.is_dir():
        raise UsageError(f"{markdown}: a folder; --markdown takes a file.")


def _is_report(folder: Path) -> bool:
    """Return whether a folder holds a report, or one interrupted while pairs were decoded."""
    names = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
    return names <= {"index.html", "plots", "tables", RESULTS}


def _matrix(options: ReportOptions, results: Results, on_progress: OnProgress) -> Matrix | None:
    if options.matrix_sentences == 0:
        return None
    written = options.out / RESULTS / MATRIX_FILE
    return evaluate_matrix(
        participants(results),
        read_matrix(written) or read_matrix(options.sweep / MATRIX_FILE),
        sentences=options.matrix_sentences,
        keep=written,
        on_progress=on_progress,
    )


def _examples(options: ReportOptions, results: Results) -> Examples | None:
    runs = [point.runs[0] for point in results.points("constrained")]
    examples = make_examples(runs, options.sentences)
    if examples.completed:
        return examples
    if options.sentences:
        raise UsageError(f"--sentence needs a model, and {options.sweep} has none (any more).")
    return read_examples(options.sweep / EXAMPLES_FILE)


def _write(document: Document, options: ReportOptions) -> None:
    out = options.out
    with new_folder(out / "plots") as partial:
        for block in document.blocks():
            if isinstance(block, Figure):
                save_figure(block, partial)
    with new_folder(out / "tables") as partial:
        for block in document.blocks():
            if isinstance(block, Table):
                write_csv(block, partial)
    with new_file(out / "index.html") as path:
        path.write_text(render_html(document), encoding="utf-8")
    if options.markdown is not None:
        plots = Path(os.path.relpath(out / "plots", options.markdown.parent)).as_posix()
        with new_file(options.markdown) as path:
            path.write_text(render_markdown(document, plots), encoding="utf-8")
