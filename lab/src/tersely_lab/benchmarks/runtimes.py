"""Is our own runtime fast enough for a step of the decoder, or should a graph runtime do it?

A step is short: a few small products, and then search looks at the outcome in NumPy anyway.
Measured are a step's time at the beam's number of rows, how long an import takes, and what
an install weighs, for NumPy and our kernels, onnxruntime, and onnxruntime with int8 weights; and
whether they agree. Needs a monotone model. See docs/decisions/runtime.md for what follows from it.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, files
from typing import Any, TypeVar

import numpy as np

from tersely.errors import UsageError
from tersely.model.folder import ModelFolder
from tersely.model.shapes import MONOTONE
from tersely.runtime.arrays import Floats, Ids
from tersely.runtime.kernels.backend import BACKEND, log_softmax
from tersely.runtime.monotone import MonotoneRuntime, MonotoneState
from tersely_lab.benchmarks.markdown import table
from tersely_lab.benchmarks.onnx_step import OnnxStep, quantised, step_graph

Outcome = tuple[Floats, Floats, Floats, Floats]  # hidden, cell, place, log p of the head
Step = Callable[[Ids, Floats, Floats, Floats], Outcome]
MadeT = TypeVar("MadeT")
OURS = "tersely"
RUNTIMES = {"NumPy": ("numpy",), "onnxruntime": ("onnxruntime", "flatbuffers", "protobuf")}
"""What each is imported as, and what of it a light install would take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimesBench:
    """What to measure."""

    model: ModelFolder
    rows: int = 5
    steps: int = 400
    rounds: int = 5
    imports: int = 5


def measure(bench: RuntimesBench) -> dict[str, Any]:
    """Time all runtimes in turns, on one thread by the processor's clock."""
    if bench.model.architecture != MONOTONE:
        raise UsageError(
            f'The model is of architecture "{bench.model.architecture}"; '
            f'a "{MONOTONE}" one is needed.'
        )
    graph = step_graph(bench.model)
    content, small = graph.SerializeToString(), quantised(graph)
    runtime, our_ready = _timed(lambda: MonotoneRuntime(bench.model))
    session, onnx_ready = _timed(lambda: OnnxStep(content))
    small_session, small_ready = _timed(lambda: OnnxStep(small))
    ready = (our_ready, onnx_ready, small_ready)
    state, last = _start(bench, runtime)
    steps: dict[str, Step] = {
        OURS: _our_step(runtime, state),
        "onnxruntime": session,
        "onnxruntime, int8": small_session,
    }
    seconds: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(bench.rounds):
        for name, step in steps.items():
            seconds[name].append(_seconds_a_step(step, state, last))
    exact = _outcome(steps[OURS], state, last[0])
    return {
        "rows": bench.rows,
        "steps": bench.steps,
        "runtimes": {
            name: {
                "microseconds_a_step": 1e6 * statistics.median(seconds[name]),
                "rounds_microseconds": [round(1e6 * one, 1) for one in seconds[name]],
                "ready_seconds": seconds_until_ready,
                "greatest_difference": _difference(exact, _outcome(step, state, last[0])),
            }
            for (name, step), seconds_until_ready in zip(steps.items(), ready, strict=True)
        },
        "imports": {
            name: {
                "seconds": _import_seconds(packages[0], bench.imports),
                "installed_mb": sum(map(installed_bytes, packages)) / 1e6,
            }
            for name, packages in RUNTIMES.items()
        },
    }


def render(found: dict[str, Any]) -> str:
    """Show the figures as tables."""
    base = found["runtimes"][OURS]["microseconds_a_step"]
    steps = [
        [
            name,
            f"{row['microseconds_a_step']:.0f}",
            f"{row['microseconds_a_step'] / base:.2f}",
            f"{1e3 * row['ready_seconds']:.0f}",
            f"{row['greatest_difference']:.1e}",
        ]
        for name, row in found["runtimes"].items()
    ]
    imports = [
        [name, f"{1e3 * row['seconds']:.0f}", f"{row['installed_mb']:.1f}"]
        for name, row in found["imports"].items()
    ]
    return "\n\n".join(
        [
            f"A step of {found['rows']} rows, one thread, processor time; kernels: {BACKEND}.",
            table(["runtime", "µs a step", "× tersely", "ready, ms", "greatest difference"], steps),
            table(["runtime", "import, ms", "installed, MB"], imports),
        ]
    )


def installed_bytes(package: str) -> int:
    """What a package takes on the disk; nothing where it is not installed."""
    try:
        listed = files(package) or []
    except PackageNotFoundError:
        return 0
    return sum(one.size or 0 for one in listed)


def _start(bench: RuntimesBench, runtime: MonotoneRuntime) -> tuple[MonotoneState, list[Ids]]:
    """A state in the midst of a sentence, and words to say from there."""
    rng = np.random.default_rng(1)
    words = runtime.vocabulary.tokens
    state = runtime.begin([[words[-1], words[-2]]] * bench.rows)
    frequent = min(len(words), 1000)
    last = [rng.integers(5, frequent - 2, bench.rows) for _ in range(bench.steps)]
    return state, last


def _our_step(runtime: MonotoneRuntime, start: MonotoneState) -> Step:
    def step(last: Ids, fed: Floats, hidden: Floats, cell: Floats) -> Outcome:
        state, coming = runtime.step(replace(start, hidden=hidden, cell=cell), last)
        words = log_softmax(coming.softmax.head_scores(state.hidden))
        return state.hidden, state.cell, coming.place[:, None], words

    return step


def _seconds_a_step(step: Step, state: MonotoneState, last: list[Ids]) -> float:
    fed = _first_keywords(state)
    hidden, cell = state.hidden, state.cell
    start = time.process_time()
    for words in last:
        hidden, cell, _, _ = step(words, fed, hidden, cell)
    return (time.process_time() - start) / len(last)


def _timed(make: Callable[[], MadeT]) -> tuple[MadeT, float]:
    start = time.process_time()
    made = make()
    return made, time.process_time() - start


def _outcome(step: Step, state: MonotoneState, last: Ids) -> Outcome:
    return step(last, _first_keywords(state), state.hidden, state.cell)


def _first_keywords(state: MonotoneState) -> Floats:
    """What the first keyword of each row adds to the input."""
    return np.ascontiguousarray(state.projected[:: state.keywords.shape[1]])


def _difference(ours: Outcome, theirs: Outcome) -> float:
    return max(float(np.abs(a - b).max()) for a, b in zip(ours, theirs, strict=True))


def _import_seconds(module: str, times: int) -> float:
    """Beyond what starting Python takes."""
    return max(0.0, _run_seconds(f"import {module}", times) - _run_seconds("pass", times))


def _run_seconds(code: str, times: int) -> float:
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        spent.append(time.perf_counter() - start)
    return min(spent)
