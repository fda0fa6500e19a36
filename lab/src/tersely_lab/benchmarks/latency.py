"""How long does a person wait for three suggestions, and how long with other software?

One run: the model as it is served and at the lengths asked, a model of the paper's size in
our runtime with full and adaptive softmax, the same in OpenNMT-py, and a T5 of T5-small's
size in transformers. Everyone is asked the same (asked.py), on one thread, each as a process of
its own, in turns. Beside that: how near `complete_batch` comes to the machine's rate of
multiplying, the cold start, the install and the memory (footprint.py). How it all prints is
latency_tables.py's job.
"""

import json
import math
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tersely.errors import TerselyError
from tersely_lab.benchmarks import answers, opennmt, transformers_venv
from tersely_lab.benchmarks.asked import Asked, ask
from tersely_lab.benchmarks.contestant import run_contestant
from tersely_lab.benchmarks.footprint import cold_start, light_install
from tersely_lab.benchmarks.machine import processor_name
from tersely_lab.benchmarks.paper_sized import UNITS, VOCABULARY

SERVED, MODEL = "the model, as served", "the model"
FULL, ADAPTIVE = "paper-sized, full softmax", "paper-sized, adaptive softmax"
OPENNMT = f"OpenNMT-py {opennmt.VERSION}"
T5 = f"T5-small-sized, transformers {transformers_venv.VERSION}"
OURS = {SERVED: "served", MODEL: "model", FULL: "full", ADAPTIVE: "adaptive"}
SMART_COMPOSE_MILLISECONDS = 60.0
"""What its authors tell (https://arxiv.org/abs/1906.00080)."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyBench:
    """What to measure, and at what size."""

    sentences: Sequence[str]
    model: Path | None = None
    """None: the model that ships."""
    count: int = 300
    rounds: int = 3
    warm_up: int = 3
    units: int = UNITS
    vocabulary: int = VOCABULARY
    t5: dict[str, int] = field(default_factory=lambda: dict(transformers_venv.T5_SMALL))
    peers: Path | None = None
    """Folder of the peers' venvs; None: without them."""
    starts: int = 7
    weigh_install: bool = True


def measure(bench: LatencyBench, *, say: Say = lambda _: None) -> dict[str, Any]:
    """Measure everything."""
    asked = ask(bench.sentences, bench.count)
    rows = _take_turns(bench, asked, say)
    say("many at once")
    batch = _run(bench, asked, "many at once", "batch")
    say("cold start and install")
    found: dict[str, Any] = {
        "machine": _machine(),
        "asked": {
            "sets": len(asked),
            "keywords": statistics.mean(len(one.keywords) for one in asked),
            "tokens": statistics.mean(one.length for one in asked),
        },
        "rounds": bench.rounds,
        "contestants": {name: summarise(outcomes) for name, outcomes in rows.items()},
        "cold_start": cold_start(bench.model, times=bench.starts),
        "install": light_install() if bench.weigh_install else None,
        "batch": batch,
    }
    for name, per_row in _peer_work(bench).items():
        if name in found["contestants"]:
            found["contestants"][name]["multiply_adds_a_row"] = per_row
    found["batch"] |= _share_of_rate(batch)
    found["targets"] = targets(found)
    return found


def summarise(outcomes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Percentiles over all rounds, in milliseconds by either clock."""
    found: dict[str, Any] = {
        "parameters": outcomes[0]["parameters"],
        "peak_mib": max(one["peak_mib"] for one in outcomes),
        "tokens": statistics.mean(length for one in outcomes for length in one["lengths"]),
    }
    for name, key in (("processor_ms", "processor_seconds"), ("clock_ms", "seconds")):
        spent = sorted(1e3 * value for one in outcomes for value in one[key])
        found[name] = {f"p{share}": percentile(spent, share / 100) for share in (50, 95, 99)}
    work = outcomes[0].get("work")
    if work:
        rows = max(1.0, work["steps"] * work["rows_a_step"])
        found["multiply_adds_a_row"] = work["multiply_adds"] / rows
    return found


def percentile(ordered: Sequence[float], share: float) -> float:
    """The smallest value that so large a share of all does not exceed."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def targets(found: dict[str, Any]) -> list[dict[str, Any]]:
    """What was wanted, what was measured, and whether it is reached; by processor time."""
    p50 = {name: row["processor_ms"]["p50"] for name, row in found["contestants"].items()}
    wanted = [("the model as served, p50 in ms", p50[SERVED], "<", SMART_COMPOSE_MILLISECONDS / 6)]
    if OPENNMT in p50:
        wanted += [
            (f"{name}, times faster than OpenNMT-py", p50[OPENNMT] / p50[name], "≥", 4.0)
            for name in (FULL, ADAPTIVE)
        ]
    if T5 in p50:
        ratio = p50[T5] / p50[MODEL]
        wanted.append(("the model, times faster than the T5-small-sized", ratio, "≥", 40.0))
    start, batch = found["cold_start"], found["batch"]["share_of_rate"]
    wanted += [
        ("complete_batch, share of the rate of multiplying", batch, "≥", 0.6),
        ("cold start, times an import of NumPy", start["processor_seconds"]["ratio"], "<", 6.0),
        ("tersely complete, MiB at its peak", start["peak_mib"], "<", 200.0),
    ]
    if found["install"] and found["install"]["wheels_mb"] is not None:
        wanted.append(("wheels of the light install, MB", found["install"]["wheels_mb"], "<", 80.0))
    return [
        {
            "name": name,
            "measured": value,
            "wanted": f"{sign} {limit:g}",
            "reached": value >= limit if sign == "≥" else value < limit,
        }
        for name, value, sign, limit in wanted
    ]


def _take_turns(
    bench: LatencyBench, asked: Sequence[Asked], say: Say
) -> dict[str, list[dict[str, Any]]]:
    """In each round everyone answers the same part of what is asked."""
    names = [*OURS, *([OPENNMT, T5] if bench.peers else [])]
    if bench.peers:
        _install_peers(bench.peers, say)
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for turn in range(bench.rounds):
        part = asked[turn :: bench.rounds]
        for name in names:
            say(f"round {turn + 1} of {bench.rounds}: {name}")
            outcome = _run(bench, part, name, OURS.get(name, ""))
            if name != SERVED and outcome["lengths"] != [one.length for one in part]:
                raise TerselyError(f"{name} did not answer with as many tokens as asked.")
            rows[name].append(outcome)
    return rows


def _run(bench: LatencyBench, asked: Sequence[Asked], name: str, kind: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        task = {
            "asked": [one.as_dict() for one in asked],
            "width": 5,
            "count": 3,
            "warm_up": bench.warm_up,
            "units": bench.units,
            "vocabulary": bench.vocabulary,
            "t5": bench.t5,
            "model": str(bench.model) if bench.model else None,
            "folder": folder,
        }
        path = Path(folder) / "task.json"
        path.write_text(json.dumps(task), encoding="utf-8")
        if kind:
            command = [sys.executable, "-m", "tersely_lab.benchmarks.our_answers", kind, str(path)]
            return run_contestant(command, name=name, is_peer=False)
        assert bench.peers is not None
        venv, peer = ("opennmt", "opennmt") if name == OPENNMT else ("transformers", "t5")
        python = str(bench.peers / venv / "bin" / "python")
        return run_contestant([python, answers.__file__, peer, str(path)], name=name, is_peer=True)


def _install_peers(peers: Path, say: Say) -> None:
    from importlib.metadata import version

    say(f"peers in {peers} (made first if need be)")
    opennmt.ensure_installed(peers / "opennmt", torch_version=version("torch"))
    transformers_venv.ensure_installed(peers / "transformers", torch_version=version("torch"))


def _peer_work(bench: LatencyBench) -> dict[str, int]:
    units, words = bench.units, bench.vocabulary
    # The LSTM reads word, attention and state; attention, its mixing, the copy gate, the softmax.
    lstm = 3 * units * 4 * units + units * units + 2 * units * units + units + units * words
    return {OPENNMT: lstm, T5: transformers_venv.step_multiply_adds(bench.t5)}


def _share_of_rate(batch: dict[str, Any]) -> dict[str, float]:
    """How long the products alone would take at the rate this machine reaches at their shapes."""
    import torch

    from tersely_lab.benchmarks.flops import measure_product

    torch.set_num_threads(1)
    ideal = 0.0
    for one in batch["work"]["products"]:
        rows, k, n = max(1, round(one["rows"])), one["k"], one["n"]
        rate = measure_product((rows, k, n), clock=time.process_time, repeats=5)
        ideal += 2 * one["calls"] * one["rows"] * k * n / rate
    return {"ideal_seconds": ideal, "share_of_rate": ideal / batch["processor_seconds"]}


def _machine() -> dict[str, Any]:
    return {
        "processor": processor_name(),
        "cores": os.cpu_count(),
        "load_average": os.getloadavg()[0],
        "python": platform.python_version(),
    }
