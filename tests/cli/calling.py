"""Calling the command line: in this process, or in one with fewer rights or a full disk."""

import json
import resource
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tersely.cli.main import main

SEVERAL = """
import contextlib, io, json, sys
from tersely.cli.main import main
for arguments in json.loads(sys.argv[1]):
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        code = main(arguments)
    print(json.dumps([code, said.getvalue()]))
"""


@dataclass(frozen=True)
class Called:
    """How a call ended and what it complained of."""

    code: int
    said: str

    @property
    def complaint(self) -> str:
        """The line a person reads; a progress bar may stand before it."""
        return self.said.strip().splitlines()[-1]

    def failed_plainly(self, code: int | None = None) -> bool:
        """Whether it exited as it should, with one clear line."""
        return (
            self.code in ((1, 2) if code is None else (code,))
            and self.complaint.startswith("tersely: ")
            and self.said.count("tersely: ") == 1
            and "Traceback" not in self.said
            and len(self.complaint) < 400
        )


def call(capsys: Any, *arguments: object) -> Called:
    """Call it in this process."""
    capsys.readouterr()
    code = main([str(argument) for argument in arguments])
    return Called(code, capsys.readouterr().err)


def call_elsewhere(
    commands: Sequence[Sequence[object]],
    *,
    before: Sequence[str] = (),
    largest_file: int | None = None,
) -> list[Called]:
    """Call several commands in one other process; files may have a largest size.

    A limit on file size fails a write as a full disk does, at the same place.
    """
    given = json.dumps([[str(part) for part in command] for command in commands])

    def limit() -> None:
        if largest_file is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

    done = subprocess.run(
        [*before, sys.executable, "-c", SEVERAL, given],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("[")]
    return [Called(*json.loads(line)) for line in lines]


def contents(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
