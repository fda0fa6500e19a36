"""Venvs of peers: made once, since what they need would not go beside what tersely needs."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tersely.errors import TerselyError, UsageError

MARKER = "complete.json"


def ensure_venv(
    folder: Path, commands: Sequence[Sequence[str]], *, name: str, versions: dict[str, str]
) -> None:
    """Run the commands that make a peer's venv, unless it is there and of these versions."""
    marker = folder / MARKER
    if marker.exists() and json.loads(marker.read_text(encoding="utf-8")) == versions:
        return
    if folder.exists() and any(folder.iterdir()) and not (folder / "pyvenv.cfg").exists():
        raise UsageError(f"{folder}: exists and is no venv. Give another --peers, or --no-peer.")
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            last = (done.stderr or done.stdout).strip().splitlines()[-1:]
            raise TerselyError(
                f"{folder}: {name} could not be installed ({' '.join(last)}). "
                "The same command tries again; --no-peer goes without."
            )
    marker.write_text(json.dumps(versions) + "\n", encoding="utf-8")
