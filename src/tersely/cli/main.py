"""The `tersely` command: finds the subcommand, runs it, turns errors into exit codes.

Nothing heavy is imported here or at the top of a command's module, so that
`tersely --help` answers at once.
"""

import argparse
import errno
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType, ModuleType
from typing import Never

from tersely import __version__
from tersely.errors import TerselyError, UsageError

COMMANDS = {
    "complete": "turn keywords into sentences",
    "serve": "open the page, and serve programs and other pages",
    "keywords": "show which words of a sentence are enough",
    "prepare": "turn text into a corpus to train on",
    "train": "learn a scheme from a prepared corpus",
    "sweep": "work off a queue of runs",
    "evaluate": "judge a model on held-out sentences",
    "export": "make a small model folder with a card",
}
LAB_COMMANDS = {
    "report": "make every figure and table of the paper from a sweep",
    "bench": "measure speed and quality on this machine",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    signal.signal(signal.SIGTERM, _interrupt)
    # One thread a request: a beam's matrices are small, and cores are for other requests.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    given = parser(arguments).parse_args(arguments)
    try:
        _module(given.command).run(given)
        sys.stdout.flush()
    except TerselyError as error:
        return _fail(str(error), code=error.exit_code)
    except KeyboardInterrupt:
        return _fail("interrupted; nothing was left half done.", code=1)
    except BrokenPipeError:
        # The reader has gone, as in `tersely … | head`; nobody is left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _fail(_describe(error), code=1)
    except MemoryError:
        return _fail("not enough memory.", code=1)
    return 0


def parser(arguments: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """Build the parser; only the subcommand asked for adds its options."""
    asked = sys.argv[1:] if arguments is None else arguments
    found = argparse.ArgumentParser(
        prog="tersely",
        description="Type a few keywords, get the sentence.",
        epilog="tersely COMMAND --help tells more about a command.",
    )
    found.add_argument("--version", action="version", version=f"tersely {__version__}")
    commands = found.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, summary in (COMMANDS | LAB_COMMANDS).items():
        command = commands.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name in asked:
            _module(name).add_arguments(command)
    return found


def _module(command: str) -> ModuleType:
    """The module of a command: one of ours, or one that the lab adds."""
    if command in COMMANDS:
        return importlib.import_module(f"tersely.cli.{command}")
    from importlib.metadata import entry_points

    for entry_point in entry_points(group="tersely.commands", name=command):
        module: ModuleType = entry_point.load()
        return module
    raise UsageError(
        f"`tersely {command}` is part of tersely-lab, which is not installed. "
        "From a copy of the project: pip install ./lab"
    )


def _interrupt(_signal: int, _frame: FrameType | None) -> Never:
    raise KeyboardInterrupt


def _fail(message: str, *, code: int) -> int:
    print(f"tersely: {message}", file=sys.stderr)
    return code


def _describe(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    advice = {
        errno.ENOSPC: " Free some space, or write to another disk.",
        errno.EACCES: " Check its permissions, or choose another place.",
        errno.EROFS: " Choose another place to write to.",
    }
    return f"{where}{error.strerror or error}.{advice.get(error.errno or 0, '')}"
