"""Commands of the benchmarks: checks of their options, and their output.

Results go to standard output as JSON or Markdown, progress to standard error.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tersely.errors import UsageError
from tersely.storage.atomic import new_file


def check_positive(args: argparse.Namespace, *names: str) -> None:
    """Raise UsageError if one of the named options is a number below 1."""
    for name in names:
        value = getattr(args, name)
        if value is not None and value < 1:
            raise UsageError(f"--{name} {value}: a number from 1 on.")


def check_installed(*modules: str, extra: str, name: str) -> None:
    """Raise UsageError if a module is missing; `extra` is the extra of tersely that has it."""
    if any(find_spec(module) is None for module in modules):
        raise UsageError(f'This benchmark needs {name}. Try: pip install "tersely[{extra}]"')


def peers_folder(args: argparse.Namespace, default: Path) -> Path | None:
    """Return the folder given by --peers or the default; None with --no-peer."""
    if args.no_peer and args.peers:
        raise UsageError("--peers and --no-peer exclude each other. Give one of them.")
    folder: Path = args.peers or default
    return None if args.no_peer else folder.expanduser().absolute()


def sentences_or_fixture(path: Path | None, limit: int) -> list[str]:
    """Read the first `limit` lines of a file, or as many sentences of the fixture."""
    if path is None:
        from tersely.corpus.fixture import fixture_sentences

        return list(fixture_sentences(limit))
    try:
        with path.open(encoding="utf-8") as file:
            lines = [line.rstrip("\n") for _, line in zip(range(limit), file, strict=False)]
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as UTF-8 text ({error}).") from error
    if not lines:
        raise UsageError(f"{path}: empty. Write one sentence per line.")
    return lines


def print_results(results: Any, render: Callable[[Any], str], *, as_json: bool) -> None:
    """Print results as JSON or as `render` lays them out."""
    print(json.dumps(results) if as_json else render(results))


def print_progress(line: str) -> None:
    """Print a line of progress to standard error at once."""
    print(line, file=sys.stderr, flush=True)


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out a Markdown table: the first column aligned left, the others right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def format_targets(lines: Sequence[str]) -> str:
    """List targets, one per line."""
    return "\n".join(["Targets:", *(f"- {line}" for line in lines)])


def format_verdict(is_reached: bool) -> str:
    """Name the outcome of a target; a missed one stands out."""
    return "reached" if is_reached else "NOT REACHED"


@contextmanager
def png_figure(path: Path, size: tuple[float, float]) -> Iterator[Any]:
    """Yield an empty matplotlib figure; write it to `path` as PNG afterwards."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UsageError('--plot needs matplotlib. Try: pip install "tersely[train]"') from error
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    yield figure
    with new_file(path) as partial:
        figure.savefig(partial, dpi=130, format="png")
