"""Options that several commands share."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tersely.errors import UsageError

if TYPE_CHECKING:
    from tersely.completion.completer import Completer


def add_model_option(parser: argparse.ArgumentParser) -> None:
    """`--model`: a model folder, a run, or a name; the model that ships without it."""
    parser.add_argument("--model", metavar="MODEL", help="a model folder or a run (ours)")


def check_text(text: str, what: str) -> None:
    """Refuse bytes that are no UTF-8; Python lets them through as lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{what}: not UTF-8 text.") from error


def load_completer(
    path: str | Path | None, memory: Path | None = None, *, may_make_memory: bool = False
) -> "Completer":
    """Load the model asked for; the memory must be there already, unless it may be made."""
    from tersely.completion.completer import Completer

    if memory is None:
        return Completer.load(path)
    from tersely.completion.memory import Memory

    if not may_make_memory and not memory.is_file():
        raise UsageError(f"{memory}: no such file of remembered sentences.")
    return Completer.load(path, Memory(memory))
