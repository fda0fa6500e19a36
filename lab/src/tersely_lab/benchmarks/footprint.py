"""Footprint: how soon the first answer comes, what an install weighs, what memory it takes."""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

import tersely
from tersely.errors import TerselyError
from tersely_lab.benchmarks.contestant import ONE_THREAD, peak_mib, run_measured


def cold_start(model: Path | None, *, times: int) -> dict[str, Any]:
    """Time the whole life of `tersely complete "late"` and of an import of NumPy, in turns."""
    ours = [sys.executable, "-m", "tersely", "complete", "late"]
    ours += ["--model", str(model)] if model else []
    commands = {"tersely": ours, "numpy": [sys.executable, "-c", "import numpy"]}
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    peak = 0.0
    for _ in range(times):
        for name, command in commands.items():
            start = time.perf_counter()
            printed, usage, code = run_measured(command, {**os.environ, **ONE_THREAD})
            if code != 0:
                raise TerselyError(f"{' '.join(command[1:])} failed: {printed.strip()[-200:]}")
            spent[name].append((time.perf_counter() - start, usage.ru_utime + usage.ru_stime))
            if name == "tersely":
                peak = max(peak, peak_mib(usage))
    found: dict[str, Any] = {"times": times, "peak_mib": peak}
    for place, clock in enumerate(("seconds", "processor_seconds")):
        medians = {
            name: statistics.median(one[place] for one in own) for name, own in spent.items()
        }
        found[clock] = {**medians, "ratio": medians["tersely"] / max(medians["numpy"], 1e-9)}
    return found


def light_install() -> dict[str, Any]:
    """Weigh the wheels of what `pip install tersely` brings, and our own files."""
    packages = needed_by("tersely")
    with tempfile.TemporaryDirectory() as folder:
        wheels = _download(packages, Path(folder))
    files = Path(tersely.__file__).parent.rglob("*")
    own = sum(path.stat().st_size for path in files if _counts(path))
    return {
        "packages": packages,
        "wheels_mb": None if wheels is None else (wheels + own) / 1e6,
        "own_mb": own / 1e6,
    }


def needed_by(package: str) -> list[str]:
    """Everything a package needs, with what those need, without extras."""
    found: dict[str, None] = {}
    waiting = [package]
    while waiting:
        for name in _requirements(waiting.pop()):
            if name not in found:
                found[name] = None
                waiting.append(name)
    return sorted(found)


def _requirements(package: str) -> Iterable[str]:
    try:
        listed = requires(package) or []
    except PackageNotFoundError:
        return
    for line in listed:
        named, _, condition = line.partition(";")
        name = re.match(r"[A-Za-z0-9._-]+", named)
        # A condition is about an extra, another system or another Python.
        if name and not condition.strip():
            yield name[0].lower().replace("_", "-")


def _download(packages: Sequence[str], folder: Path) -> int | None:
    """Fetch the wheels of the versions installed; None where there is no index to ask."""
    pinned = [f"{name}=={version(name)}" for name in packages]
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet"]
    done = subprocess.run(
        [*command, "--dest", str(folder), *pinned], capture_output=True, check=False
    )
    if done.returncode != 0:
        return None
    return sum(path.stat().st_size for path in folder.iterdir())


def _counts(path: Path) -> bool:
    return path.is_file() and path.suffix != ".pyc"
