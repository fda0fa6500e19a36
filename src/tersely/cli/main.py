"""The `tersely` command: parses arguments, runs the subcommand and sets the exit code.

Neither this module nor the top of a command's module imports anything heavy, so that
`tersely --help` is quick.
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
    "serve": "start the web page and the REST service",
    "keywords": "show which words of a sentence are enough",
    "prepare": "turn text into a corpus for training",
    "train": "train a scheme on a prepared corpus",
    "sweep": "run a queue of training runs",
    "evaluate": "evaluate a model on held-out sentences",
    "export": "write a compact model folder with a model card",
}
LAB_COMMANDS = {
    "report": "reproduce every figure and table of the paper from a sweep",
    "bench": "measure speed and quality on this machine",
}
"""Commands of the tersely-lab distribution. Their help texts are here because reading
entry points would slow `tersely --help` down."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    signal.signal(signal.SIGTERM, _interrupt)
    # The matrices of a beam are small; one BLAS thread leaves cores to other requests.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        args = parser(arguments).parse_args(arguments)
        _load_command(args.command).run(args)
        sys.stdout.flush()
    except TerselyError as error:
        return _fail(str(error), code=error.exit_code)
    except KeyboardInterrupt:
        return _fail("interrupted; no file is left incomplete.", code=1)
    except BrokenPipeError:
        # The reader of the pipe has exited, as in `tersely … | head`: end silently.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _fail(_describe(error), code=1)
    except MemoryError:
        return _fail("not enough memory.", code=1)
    return 0


def parser(arguments: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """Build the parser; import only the command that the arguments name, and add its options."""
    arguments = sys.argv[1:] if arguments is None else arguments
    requested = next((word for word in arguments if not word.startswith("-")), None)
    parser = argparse.ArgumentParser(
        prog="tersely",
        description="Type a few keywords, get the sentence.",
        epilog="Run `tersely COMMAND --help` for the options of a command.",
    )
    parser.add_argument("--version", action="version", version=f"tersely {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, summary in (COMMANDS | LAB_COMMANDS).items():
        command = commands.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name == requested:
            _load_command(name).add_arguments(command)
    return parser


def _load_command(name: str) -> ModuleType:
    """Import the module of a command, from this package or from the lab's entry points."""
    if name in COMMANDS:
        return importlib.import_module(f"tersely.cli.{name}")
    from importlib.metadata import entry_points

    for entry_point in entry_points(group="tersely.commands", name=name):
        module: ModuleType = entry_point.load()
        return module
    raise UsageError(
        f"`tersely {name}` is part of tersely-lab, which is not installed. "
        "In a checkout of the project, run: pip install ./lab"
    )


def _interrupt(_signal: int, _frame: FrameType | None) -> Never:
    raise KeyboardInterrupt


def _fail(message: str, *, code: int) -> int:
    print(f"tersely: {message}", file=sys.stderr)
    return code


def _describe(error: OSError) -> str:
    path = f"{error.filename}: " if error.filename else ""
    advice = {
        errno.ENOSPC: " Free some space, or write to another disk.",
        errno.EACCES: " Check its permissions, or choose another path.",
        errno.EROFS: " Write to another path.",
    }
    return f"{path}{error.strerror or error}.{advice.get(error.errno or 0, '')}"
