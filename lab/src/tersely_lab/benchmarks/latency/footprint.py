"""Footprint of an install: cold start, size of the wheels, peak memory."""

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
from tersely_lab.benchmarks.measurement import ONE_THREAD, peak_mib, run_measured


def cold_start(model: Path | None, *, times: int) -> dict[str, Any]:
    """Time `tersely complete "late"` and an import of NumPy as processes, in turns."""
    complete = [sys.executable, "-m", "tersely", "complete", "late"]
    complete += ["--model", str(model)] if model else []
    commands = {"tersely": complete, "numpy": [sys.executable, "-c", "import numpy"]}
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    processor_seconds: dict[str, list[float]] = {name: [] for name in commands}
    peak = 0.0
    for _ in range(times):
        for name, command in commands.items():
            start = time.perf_counter()
            output, usage, code = run_measured(command, {**os.environ, **ONE_THREAD})
            if code != 0:
                raise TerselyError(f"{' '.join(command[1:])} failed: {output.strip()[-200:]}")
            seconds[name].append(time.perf_counter() - start)
            processor_seconds[name].append(usage.ru_utime + usage.ru_stime)
            if name == "tersely":
                peak = max(peak, peak_mib(usage))
    return {
        "times": times,
        "peak_mib": peak,
        "seconds": _medians(seconds),
        "processor_seconds": _medians(processor_seconds),
    }


def _medians(seconds: dict[str, list[float]]) -> dict[str, float]:
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    return {**medians, "ratio": medians["tersely"] / max(medians["numpy"], 1e-9)}


def light_install() -> dict[str, Any]:
    """Return the size of the wheels that `pip install tersely` downloads, our files included."""
    packages = requirements_of("tersely")
    with tempfile.TemporaryDirectory() as folder:
        wheel_bytes = _download(packages, Path(folder))
    files = Path(tersely.__file__).parent.rglob("*")
    package_bytes = sum(
        path.stat().st_size for path in files if path.is_file() and path.suffix != ".pyc"
    )
    return {
        "packages": packages,
        "wheels_mb": None if wheel_bytes is None else (wheel_bytes + package_bytes) / 1e6,
        "own_mb": package_bytes / 1e6,
    }


def requirements_of(package: str) -> list[str]:
    """Return the names of all packages that a package requires, directly or not, no extras."""
    names: dict[str, None] = {}
    pending = [package]
    while pending:
        for name in _direct_requirements(pending.pop()):
            if name not in names:
                names[name] = None
                pending.append(name)
    return sorted(names)


def _direct_requirements(package: str) -> Iterable[str]:
    try:
        lines = requires(package) or []
    except PackageNotFoundError:
        return
    for line in lines:
        specifier, _, condition = line.partition(";")
        name = re.match(r"[A-Za-z0-9._-]+", specifier)
        # A condition concerns an extra, another system or another Python.
        if name and not condition.strip():
            yield name[0].lower().replace("_", "-")


def _download(packages: Sequence[str], folder: Path) -> int | None:
    """Download the wheels of the installed versions; return None without a package index."""
    pinned = [f"{name}=={version(name)}" for name in packages]
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet"]
    done = subprocess.run(
        [*command, "--dest", str(folder), *pinned], capture_output=True, check=False
    )
    if done.returncode != 0:
        return None
    return sum(path.stat().st_size for path in folder.iterdir())
