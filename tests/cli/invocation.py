"""Invoke the command line, in this process or in a subprocess with fewer rights or a full disk."""

import json
import resource
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tersely.cli.main import main

SUBPROCESS = """
import contextlib, io, json, sys
from tersely.cli.main import main
for arguments in json.loads(sys.argv[1]):
    stderr = io.StringIO()
    with contextlib.redirect_stderr(stderr):
        code = main(arguments)
    print(json.dumps([code, stderr.getvalue()]))
"""


@dataclass(frozen=True)
class Result:
    """The exit code of a command and what it wrote to standard error."""

    code: int
    stderr: str

    @property
    def message(self) -> str:
        """The last line of standard error; a progress bar may stand before it."""
        return self.stderr.strip().splitlines()[-1]

    def is_one_line_error(self, code: int | None = None) -> bool:
        """Whether the command failed with this code, or any, and one message without traceback."""
        return (
            self.code in ((1, 2) if code is None else (code,))
            and self.message.startswith("tersely: ")
            and self.stderr.count("tersely: ") == 1
            and "Traceback" not in self.stderr
            and len(self.message) < 400
        )


def invoke(capsys: pytest.CaptureFixture[str], *arguments: object) -> Result:
    """Run a command in this process."""
    capsys.readouterr()
    code = main([str(argument) for argument in arguments])
    return Result(code, capsys.readouterr().err)


def invoke_in_subprocess(
    commands: Sequence[Sequence[object]],
    *,
    before: Sequence[str] = (),
    max_file_bytes: int | None = None,
) -> list[Result]:
    """Run several commands in one subprocess, optionally with a limit on the size of files.

    A write beyond the limit fails where it would fail on a full disk.
    """
    arguments = json.dumps([[str(part) for part in command] for command in commands])

    def limit() -> None:
        if max_file_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (max_file_bytes, max_file_bytes))

    process = subprocess.run(
        [*before, sys.executable, "-c", SUBPROCESS, arguments],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    lines = [line for line in process.stdout.splitlines() if line.startswith("[")]
    return [Result(*json.loads(line)) for line in lines]


def file_contents(folder: Path) -> dict[str, bytes]:
    """Return the content of every file below a folder."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
