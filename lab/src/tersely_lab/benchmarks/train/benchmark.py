"""Measurements of `tersely bench train`.

Our decoder alone and the whole game, each with full and adaptive softmax, take turns with
OpenNMT-py (peer.py) on the same generated sentences (zipf.py) and the same number of threads.
Besides: the machine's matrix-multiply peak and the share of it that is reached (flops.py), the
time of each part of a step (variants.py), the time of a step on a larger corpus, and the peak
memory of `tersely train`. tables.py prints the results.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch

from tersely.corpus.dataset import Split
from tersely.errors import TerselyError
from tersely.game.batch import Batch
from tersely.training.batches import Batches
from tersely_lab.benchmarks.measurement import (
    Clock,
    Log,
    Throughput,
    clock_for,
    describe_machine,
    matmul_rate,
    measure_throughput,
    peak_mib,
    run_measured,
    summarise_rounds,
)
from tersely_lab.benchmarks.peers import OPENNMT_VERSION, install_opennmt
from tersely_lab.benchmarks.train.flops import largest_products, step_operations, workload
from tersely_lab.benchmarks.train.peer import REPORT_EVERY_STEPS, train, write_task
from tersely_lab.benchmarks.train.variants import VARIANTS, Variant, profile
from tersely_lab.benchmarks.train.zipf import (
    VOCABULARY_SIZE,
    generate,
    vocabulary_of,
    write_prepared,
)

TARGETS = {
    "decoder, full softmax": 2.0,
    "decoder, adaptive softmax": 4.0,
    "whole game, adaptive softmax": 2.5,
}
"""Throughput as a multiple of the peer's."""
PEER_STEPS = 3 * REPORT_EVERY_STEPS  # the first third is warm-up
WARM_UP_STEPS = 2
MEMORY_STEPS = 20
MEMORY_TARGET_MIB = 2048
GROWTH_TARGET = 1.1
MAX_DRAWN_BATCHES = 100
"""Batches drawn to time their drawing alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainBench:
    """Settings of a run."""

    threads: int
    steps: int = 10
    """Steps of each variant in each round."""
    rounds: int = 3
    sentences: int = 20_000
    many_sentences: int = 500_000
    batch: int = 128
    units: int = 300
    vocabulary: int = VOCABULARY_SIZE
    peer: Path | None = None
    """The peer's venv; None: no peer."""
    memory: bool = True


def measure(bench: TrainBench, *, log: Log = lambda _: None) -> dict[str, Any]:
    """Run all measurements."""
    torch.set_num_threads(bench.threads)
    clock = clock_for(bench.threads)
    if bench.peer is not None:
        log(f"OpenNMT-py {OPENNMT_VERSION} in {bench.peer} (made first if need be)")
        install_opennmt(bench.peer, torch_version=torch.__version__)
    many = generate(bench.many_sentences, vocabulary=bench.vocabulary, seed=2)
    # Before this process grows: a child's peak memory is never below its parent's size.
    memory = None
    if bench.memory:
        log(f"memory of tersely train on {len(many):,} sentences")
        memory = peak_memory(bench, many)
    split = generate(bench.sentences, vocabulary=bench.vocabulary)
    variants = _build_variants(bench, split)
    ours, peer, peaks = _run_rounds(bench, variants, split, log)
    by_processor = bench.threads == 1 and (not peer or peer[0].processor_seconds is not None)
    results: dict[str, Any] = {
        "machine": {
            **describe_machine(),
            "threads": bench.threads,
            "torch": torch.__version__,
        },
        "corpus": _corpus(bench, split),
        "rounds": bench.rounds,
        "steps_a_round": bench.steps,
        "judged_by": "processor" if by_processor else "clock",
        "peak_gflops": {name: max(rates) / 1e9 for name, rates in peaks.items()},
        "variants": {name: summarise_rounds(rounds) for name, rounds in ours.items()},
        "peer": {"steps_a_round": PEER_STEPS, **summarise_rounds(peer)} if peer else None,
        "memory": memory,
    }
    log("where the time goes")
    for name, variant in variants.items():
        results["variants"][name] |= _machine_use(bench, variant, name, results)
        results["variants"][name]["seconds_by_part"] = profile(
            variant, first=WARM_UP_STEPS, steps=bench.steps, clock=clock
        )
    results["ratios"] = ratios(results)
    log("small and large corpus")
    results["growth"] = _growth(bench, variants, [split, many], clock)
    return results


def ratios(results: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Compare each variant with the peer by either clock, and with its target."""
    peer, compared = results["peer"], {}
    for name, row in results["variants"].items() if peer else ():
        by_clock = ratio = row["tokens_per_second"] / peer["tokens_per_second"]
        by_processor = None
        if peer["tokens_per_processor_second"] is not None:
            by_processor = row["tokens_per_processor_second"] / peer["tokens_per_processor_second"]
            ratio = by_clock if results["judged_by"] == "clock" else by_processor
        target = TARGETS.get(name)
        compared[name] = {
            "by_clock": by_clock,
            "by_processor": by_processor,
            "target": target,
            "reached": None if target is None else ratio >= target,
        }
    return compared


def _build_variants(bench: TrainBench, split: Split) -> dict[str, Variant]:
    variants = {}
    for name, variant in VARIANTS.items():
        batches = Batches(split, batch_size=bench.batch, seed=1)
        config = variant.run_config(units=bench.units, batch=bench.batch)
        variants[name] = Variant.build(config, batches, vocabulary=bench.vocabulary)
        variants[name].train(range(WARM_UP_STEPS))
        variants[name].metrics.clear()
    return variants


def _run_rounds(
    bench: TrainBench, variants: dict[str, Variant], split: Split, log: Log
) -> tuple[dict[str, list[Throughput]], list[Throughput], dict[str, list[float]]]:
    """Measure single products, each variant and the peer in each round."""
    ours: dict[str, list[Throughput]] = {name: [] for name in variants}
    peer: list[Throughput] = []
    full = variants["decoder, full softmax"]
    shape = full.scheme.shape
    load = workload(shape, _first_batches(bench, full.batches), kept_fraction=0.5)
    products = largest_products(shape, load)
    peaks: dict[str, list[float]] = {name: [] for name in products}
    for number in range(bench.rounds):
        log(f"round {number + 1} of {bench.rounds}")
        for name, product in products.items():
            peaks[name].append(matmul_rate(product, clock=clock_for(bench.threads)))
        first = WARM_UP_STEPS + number * bench.steps
        for name, variant in variants.items():
            steps = range(first, first + bench.steps)
            ours[name].append(measure_throughput(partial(variant.train, steps)))
        if bench.peer is not None:
            peer.append(_run_peer(bench, split, bench.peer))
    return ours, peer, peaks


def _run_peer(bench: TrainBench, split: Split, venv: Path) -> Throughput:
    with tempfile.TemporaryDirectory() as folder:
        settings = write_task(
            split,
            Path(folder),
            vocabulary=bench.vocabulary,
            steps=PEER_STEPS,
            batch=bench.batch,
            units=bench.units,
        )
        return train(venv, settings, threads=bench.threads)


def _machine_use(
    bench: TrainBench, variant: Variant, name: str, results: dict[str, Any]
) -> dict[str, Any]:
    """Return the operations of a variant's step, and the share of the machine's peak reached."""
    shape = variant.scheme.shape
    kept_fraction = statistics.mean(metrics.kept_fraction for metrics in variant.metrics)
    batches = _first_batches(bench, variant.batches)
    load = workload(shape, batches, kept_fraction=kept_fraction)
    operations = step_operations(shape, load, encoder=VARIANTS[name].whole_game)
    by_clock = results["judged_by"] == "clock"
    key = "tokens_per_second" if by_clock else "tokens_per_processor_second"
    steps_per_second = results["variants"][name][key] / (load.tokens + load.sentences)
    gflops = sum(operations.values()) * steps_per_second / 1e9
    return {
        "kept_share": kept_fraction,
        "gflop_a_step": {part: count / 1e9 for part, count in operations.items()},
        "gflops": gflops,
        "share_of_peak": gflops / max(results["peak_gflops"].values()),
    }


def _first_batches(bench: TrainBench, batches: Batches) -> list[Batch]:
    return [batches.at(step) for step in range(bench.steps)]


def _growth(
    bench: TrainBench, variants: dict[str, Variant], splits: Sequence[Split], clock: Clock
) -> dict[str, Any]:
    """Compare the time of a step on a small and a large corpus."""
    rows = step_times(bench, variants["decoder, adaptive softmax"], splits, clock)
    ratio = rows[-1]["milliseconds_a_step"] / rows[0]["milliseconds_a_step"]
    return {
        "corpora": rows,
        "ratio": ratio,
        "target": GROWTH_TARGET,
        "reached": ratio <= GROWTH_TARGET,
    }


def step_times(
    bench: TrainBench, variant: Variant, splits: Sequence[Split], clock: Clock
) -> list[dict[str, Any]]:
    """Time steps, and the drawing of batches alone, on each split in turns."""
    sources = [Batches(split, batch_size=bench.batch, seed=1) for split in splits]
    seconds_per_token: list[list[float]] = [[] for _ in splits]
    shuffle_seconds = [_first_batch_seconds(source) for source in sources]
    for number in range(bench.rounds):
        for source, seconds in zip(sources, seconds_per_token, strict=True):
            variant.batches = source
            start = clock()
            tokens = variant.train(range(number * bench.steps, (number + 1) * bench.steps))
            seconds.append((clock() - start) / tokens)
    tokens_per_step = statistics.mean(metrics.tokens for metrics in variant.metrics)
    return [
        {
            "sentences": len(split),
            "milliseconds_a_step": 1e3 * tokens_per_step * statistics.median(seconds),
            "milliseconds_a_batch": 1e3 * _batch_seconds(source, clock),
            "milliseconds_a_shuffle": 1e3 * shuffle,
        }
        for split, source, seconds, shuffle in zip(
            splits, sources, seconds_per_token, shuffle_seconds, strict=True
        )
    ]


def _first_batch_seconds(source: Batches) -> float:
    """Time the first batch of an epoch, which includes the shuffle."""
    start = time.perf_counter()
    source.at(0)
    return time.perf_counter() - start


def _batch_seconds(source: Batches, clock: Clock) -> float:
    count = min(MAX_DRAWN_BATCHES, source.batches_per_epoch)
    source.at(0)
    start = clock()
    for step in range(count):
        source.at(step)
    return (clock() - start) / count


def peak_memory(bench: TrainBench, split: Split, *, steps: int = MEMORY_STEPS) -> dict[str, Any]:
    """Run `tersely train` with the paper's settings; return its peak memory in MiB."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_prepared(split, folder / "corpus", words=vocabulary_of(bench.vocabulary))
        (folder / "paper.toml").write_text(f"[training]\nmax_steps = {steps}\n", encoding="utf-8")
        options = ["--config", "paper.toml", "--data", "corpus", "--out", "run"]
        command = [sys.executable, "-m", "tersely", "train", *options]
        command += ["--threads", str(bench.threads)]
        output, usage, code = run_measured(command, os.environ, cwd=folder)
    if code != 0:
        raise TerselyError(f"tersely train failed: {output.strip()[-300:]}")
    peak = peak_mib(usage)
    return {
        "sentences": len(split),
        "steps": steps,
        "peak_mib": peak,
        "target_mib": MEMORY_TARGET_MIB,
        "reached": peak < MEMORY_TARGET_MIB,
    }


def _corpus(bench: TrainBench, split: Split) -> dict[str, Any]:
    return {
        "sentences": len(split),
        "tokens": len(split.tokens),
        "vocabulary": bench.vocabulary,
        "units": bench.units,
        "batch": bench.batch,
    }
