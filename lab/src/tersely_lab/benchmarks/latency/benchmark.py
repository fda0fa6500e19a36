"""Measurements of `tersely bench latency`.

Candidates: the model as served and at the query's length, a model of the paper's size in our
runtime with full and adaptive softmax, the same in OpenNMT-py, and a T5 of T5-small's size in
transformers. All complete the same queries (queries.py) on one thread, each as a process of its
own, in turns. Besides: the share of the machine's matrix-multiply rate that `complete_batch`
reaches, and cold start, install and memory (footprint.py). tables.py prints the results.
"""

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tersely.errors import TerselyError
from tersely_lab.benchmarks import peers
from tersely_lab.benchmarks.latency.footprint import cold_start, light_install
from tersely_lab.benchmarks.latency.queries import Query, draw_queries
from tersely_lab.benchmarks.measurement import Log, describe_machine, matmul_rate, percentile
from tersely_lab.benchmarks.paper_size import UNITS, VOCABULARY_SIZE

SERVED, MODEL = "the model, as served", "the model"
FULL, ADAPTIVE = "paper-sized, full softmax", "paper-sized, adaptive softmax"
OPENNMT = f"OpenNMT-py {peers.OPENNMT_VERSION}"
T5 = f"T5-small-sized, transformers {peers.TRANSFORMERS_VERSION}"
OURS = {SERVED: "served", MODEL: "model", FULL: "full", ADAPTIVE: "adaptive"}
"""Our candidates, and their names in candidates.py."""
PEERS = {OPENNMT: ("opennmt", "opennmt"), T5: ("transformers", "t5")}
"""The peers, with their venvs and their names in peer.py."""
BEAM_WIDTH = 5
SUGGESTIONS = 3
SMART_COMPOSE_MILLISECONDS = 60.0
"""As its authors report (https://arxiv.org/abs/1906.00080)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyBench:
    """Settings of a run."""

    sentences: Sequence[str]
    model: Path | None = None
    """None: the model that ships."""
    count: int = 300
    rounds: int = 3
    warm_up: int = 3
    units: int = UNITS
    vocabulary: int = VOCABULARY_SIZE
    t5: dict[str, int] = field(default_factory=lambda: dict(peers.T5_SMALL))
    peers: Path | None = None
    """Folder of the peers' venvs; None: no peers."""
    starts: int = 7
    weigh_install: bool = True


def measure(bench: LatencyBench, *, log: Log = lambda _: None) -> dict[str, Any]:
    """Run all measurements."""
    queries = draw_queries(bench.sentences, bench.count)
    outcomes = _run_rounds(bench, queries, log)
    log("many at once")
    batch = _run(bench, queries, "many at once", "batch")
    log("cold start and install")
    results: dict[str, Any] = {
        "machine": describe_machine(),
        "asked": {
            "sets": len(queries),
            "keywords": statistics.mean(len(query.keywords) for query in queries),
            "tokens": statistics.mean(query.length for query in queries),
        },
        "rounds": bench.rounds,
        "contestants": {name: summarise(rounds) for name, rounds in outcomes.items()},
        "cold_start": cold_start(bench.model, times=bench.starts),
        "install": light_install() if bench.weigh_install else None,
        "batch": batch | _share_of_matmul_rate(batch),
    }
    if bench.peers:
        opennmt = peers.opennmt_step_multiply_adds(units=bench.units, vocabulary=bench.vocabulary)
        results["contestants"][OPENNMT]["multiply_adds_a_row"] = opennmt
        t5 = peers.t5_step_multiply_adds(bench.t5)
        results["contestants"][T5]["multiply_adds_a_row"] = t5
    results["targets"] = targets(results)
    return results


def summarise(rounds: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return percentiles over all rounds, in milliseconds of processor and wall-clock time."""
    summary: dict[str, Any] = {
        "parameters": rounds[0]["parameters"],
        "peak_mib": max(outcome["peak_mib"] for outcome in rounds),
        "tokens": statistics.mean(length for outcome in rounds for length in outcome["lengths"]),
    }
    for name, key in (("processor_ms", "processor_seconds"), ("clock_ms", "seconds")):
        ordered = sorted(1e3 * seconds for outcome in rounds for seconds in outcome[key])
        summary[name] = {f"p{percent}": percentile(ordered, percent) for percent in (50, 95, 99)}
    work = rounds[0].get("work")
    if work:
        rows = max(1.0, work["steps"] * work["rows_a_step"])
        summary["multiply_adds_a_row"] = work["multiply_adds"] / rows
    return summary


def targets(results: dict[str, Any]) -> list[dict[str, Any]]:
    """Compare the measurements with the targets, by processor time."""
    p50 = {name: row["processor_ms"]["p50"] for name, row in results["contestants"].items()}
    limits = [("the model as served, p50 in ms", p50[SERVED], "<", SMART_COMPOSE_MILLISECONDS / 6)]
    if OPENNMT in p50:
        limits += [
            (f"{name}, times faster than OpenNMT-py", p50[OPENNMT] / p50[name], "≥", 4.0)
            for name in (FULL, ADAPTIVE)
        ]
    if T5 in p50:
        ratio = p50[T5] / p50[MODEL]
        limits.append(("the model, times faster than the T5-small-sized", ratio, "≥", 40.0))
    start, batch = results["cold_start"], results["batch"]["share_of_rate"]
    limits += [
        ("complete_batch, share of the rate of multiplying", batch, "≥", 0.6),
        ("cold start, times an import of NumPy", start["processor_seconds"]["ratio"], "<", 6.0),
        ("tersely complete, MiB at its peak", start["peak_mib"], "<", 200.0),
    ]
    install = results["install"]
    if install and install["wheels_mb"] is not None:
        limits.append(("wheels of the light install, MB", install["wheels_mb"], "<", 80.0))
    return [
        {
            "name": name,
            "measured": value,
            "wanted": f"{sign} {limit:g}",
            "reached": value >= limit if sign == "≥" else value < limit,
        }
        for name, value, sign, limit in limits
    ]


def _run_rounds(
    bench: LatencyBench, queries: Sequence[Query], log: Log
) -> dict[str, list[dict[str, Any]]]:
    """Let all candidates complete the same part of the queries in each round."""
    names = [*OURS, *(PEERS if bench.peers else ())]
    if bench.peers:
        log(f"peers in {bench.peers} (made first if need be)")
        _install_peers(bench.peers)
    outcomes: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for number in range(bench.rounds):
        part = queries[number :: bench.rounds]
        for name in names:
            log(f"round {number + 1} of {bench.rounds}: {name}")
            outcome = _run(bench, part, name, OURS.get(name))
            if name != SERVED and outcome["lengths"] != [query.length for query in part]:
                raise TerselyError(f"{name}: suggestions do not have the lengths of the queries.")
            outcomes[name].append(outcome)
    return outcomes


def _run(
    bench: LatencyBench, queries: Sequence[Query], name: str, candidate: str | None
) -> dict[str, Any]:
    """Run one of our candidates, or, without one, the peer of this name."""
    with tempfile.TemporaryDirectory() as folder:
        task = {
            "queries": [query.as_dict() for query in queries],
            "width": BEAM_WIDTH,
            "count": SUGGESTIONS,
            "warm_up": bench.warm_up,
            "units": bench.units,
            "vocabulary": bench.vocabulary,
            "t5": bench.t5,
            "model": str(bench.model) if bench.model else None,
            "folder": folder,
        }
        path = Path(folder) / "task.json"
        path.write_text(json.dumps(task), encoding="utf-8")
        if candidate:
            module = "tersely_lab.benchmarks.latency.candidates"
            command = [sys.executable, "-m", module, candidate, str(path)]
            return peers.run_candidate(command, name=name, is_peer=False)
        assert bench.peers is not None
        venv, peer = PEERS[name]
        script = str(Path(__file__).with_name("peer.py"))
        command = [str(bench.peers / venv / "bin" / "python"), script, peer, str(path)]
        return peers.run_candidate(command, name=name, is_peer=True)


def _install_peers(folder: Path) -> None:
    from importlib.metadata import version

    peers.install_opennmt(folder / "opennmt", torch_version=version("torch"))
    peers.install_transformers(folder / "transformers", torch_version=version("torch"))


def _share_of_matmul_rate(batch: dict[str, Any]) -> dict[str, float]:
    """Compare with the time of the products alone, at the rate torch reaches at their shapes."""
    import torch

    torch.set_num_threads(1)
    ideal_seconds = 0.0
    for product in batch["work"]["products"]:
        rows, k, n = product["rows"], product["k"], product["n"]
        shape = (max(1, round(rows)), k, n)
        rate = matmul_rate(shape, clock=time.process_time, repeats=5)
        ideal_seconds += 2 * product["calls"] * rows * k * n / rate
    share = ideal_seconds / batch["processor_seconds"]
    return {"ideal_seconds": ideal_seconds, "share_of_rate": share}
