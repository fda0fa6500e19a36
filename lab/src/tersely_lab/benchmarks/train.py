"""How fast does training go, and what of this machine does it use?

One run: tersely's decoder alone and the whole game, each with full and adaptive softmax,
take turns with OpenNMT-py (opennmt.py) on the same generated sentences (zipf.py) and the
same number of threads. Beside their paces stand the machine's matrix-multiply peak and
the share of it that is reached (flops.py), where the time goes (parts.py), and whether
corpus size matters (growth.py). How it all prints is train_tables.py's job.
"""

import os
import platform
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch

from tersely.corpus.dataset import Split
from tersely.game.batch import Batch
from tersely.training.batches import Batches
from tersely_lab.benchmarks import opennmt
from tersely_lab.benchmarks.flops import (
    load_of,
    measure_product,
    relevant_products,
    step_operations,
)
from tersely_lab.benchmarks.growth import measure_growth, peak_memory
from tersely_lab.benchmarks.machine import processor_name
from tersely_lab.benchmarks.pace import Clock, Pace, clock_for, summarise, timed
from tersely_lab.benchmarks.parts import seconds_by_part
from tersely_lab.benchmarks.variant import KINDS, Variant
from tersely_lab.benchmarks.zipf import VOCABULARY, generate

TARGETS = {
    "decoder, full softmax": 2.0,
    "decoder, adaptive softmax": 4.0,
    "whole game, adaptive softmax": 2.5,
}
PEER_STEPS = 3 * opennmt.REPORT_EVERY_STEPS  # the first third is warm-up
WARM_UP_STEPS = 2
MEMORY_STEPS = 20
MEMORY_TARGET_MIB = 2048
GROWTH_TARGET = 1.1

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainBench:
    """What to measure, and at what size."""

    threads: int
    steps: int = 10
    """Steps of each variant in each round."""
    rounds: int = 3
    sentences: int = 20_000
    many_sentences: int = 500_000
    batch: int = 128
    units: int = 300
    vocabulary: int = VOCABULARY
    peers: Path | None = None
    """The peer's venv; None: without it."""
    memory: bool = True


def measure(bench: TrainBench, *, say: Say = lambda _: None) -> dict[str, Any]:
    """Measure everything."""
    torch.set_num_threads(bench.threads)
    clock = clock_for(bench.threads)
    if bench.peers is not None:
        say(f"OpenNMT-py {opennmt.VERSION} in {bench.peers} (made first if need be)")
        opennmt.ensure_installed(bench.peers, torch_version=torch.__version__)
    many = generate(bench.many_sentences, vocabulary=bench.vocabulary, seed=2)
    # Before anything large is built here: a child's peak is never below its parent's size.
    memory = _memory(bench, many, say) if bench.memory else None
    split = generate(bench.sentences, vocabulary=bench.vocabulary)
    variants = _variants(bench, split)
    paces, peer, peaks = _take_turns(bench, variants, split, say)
    by_processor = bench.threads == 1 and (not peer or peer[0].processor_seconds is not None)
    found: dict[str, Any] = {
        "machine": _machine(bench.threads),
        "corpus": _corpus(bench, split),
        "rounds": bench.rounds,
        "steps_a_round": bench.steps,
        "judged_by": "processor" if by_processor else "clock",
        "peak_gflops": {name: max(rates) / 1e9 for name, rates in peaks.items()},
        "variants": {name: summarise(rounds) for name, rounds in paces.items()},
        "peer": {"steps_a_round": PEER_STEPS, **summarise(peer)} if peer else None,
        "memory": memory,
    }
    say("where the time goes")
    for name, variant in variants.items():
        found["variants"][name] |= _use_of_machine(bench, variant, name, found)
        found["variants"][name]["seconds_by_part"] = seconds_by_part(
            variant, first=WARM_UP_STEPS, steps=bench.steps, clock=clock
        )
    found["ratios"] = ratios(found)
    say("small and large corpus")
    found["growth"] = _growth(bench, variants, [split, many], clock)
    return found


def ratios(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Compare each variant with the peer, by either clock; say whether targets are reached."""
    peer, compared = found["peer"], {}
    for name, row in found["variants"].items() if peer else ():
        clock = row["tokens_per_second"] / peer["tokens_per_second"]
        processor = None
        if peer["tokens_per_processor_second"] is not None:
            processor = row["tokens_per_processor_second"] / peer["tokens_per_processor_second"]
        judged = clock if found["judged_by"] == "clock" or processor is None else processor
        target = TARGETS.get(name)
        compared[name] = {
            "by_clock": clock,
            "by_processor": processor,
            "target": target,
            "reached": None if target is None else judged >= target,
        }
    return compared


def _variants(bench: TrainBench, split: Split) -> dict[str, Variant]:
    variants = {}
    for name, kind in KINDS.items():
        batches = Batches(split, batch_size=bench.batch, seed=1)
        config = kind.config(units=bench.units, batch=bench.batch)
        variants[name] = Variant.build(config, batches, vocabulary=bench.vocabulary)
        variants[name].train(range(WARM_UP_STEPS))
        variants[name].records.clear()
    return variants


def _take_turns(
    bench: TrainBench, variants: dict[str, Variant], split: Split, say: Say
) -> tuple[dict[str, list[Pace]], list[Pace], dict[str, list[float]]]:
    """Run the rounds: products, each variant, the peer."""
    paces: dict[str, list[Pace]] = {name: [] for name in variants}
    peer: list[Pace] = []
    full = variants["decoder, full softmax"]
    shape = full.scheme.shape
    load = load_of(shape, _some_batches(bench, full.batches), kept_share=0.5)
    products = relevant_products(shape, load)
    peaks: dict[str, list[float]] = {name: [] for name in products}
    for turn in range(bench.rounds):
        say(f"round {turn + 1} of {bench.rounds}")
        for name, product in products.items():
            peaks[name].append(measure_product(product, clock=clock_for(bench.threads)))
        first = WARM_UP_STEPS + turn * bench.steps
        for name, variant in variants.items():
            steps = range(first, first + bench.steps)
            paces[name].append(timed(partial(variant.train, steps)))
        if bench.peers is not None:
            peer.append(_peer_round(bench, split, bench.peers))
    return paces, peer, peaks


def _peer_round(bench: TrainBench, split: Split, venv: Path) -> Pace:
    with tempfile.TemporaryDirectory() as folder:
        settings = opennmt.write_task(
            split,
            Path(folder),
            vocabulary=bench.vocabulary,
            steps=PEER_STEPS,
            batch=bench.batch,
            units=bench.units,
        )
        return opennmt.train(venv, settings, threads=bench.threads)


def _use_of_machine(
    bench: TrainBench, variant: Variant, name: str, found: dict[str, Any]
) -> dict[str, Any]:
    """Operations of a variant's products, and the share of the peak they reach."""
    shape = variant.scheme.shape
    kept = statistics.mean(record.kept_fraction for record in variant.records)
    load = load_of(shape, _some_batches(bench, variant.batches), kept_share=kept)
    operations = step_operations(shape, load, encoder=KINDS[name].whole_game)
    is_by_clock = found["judged_by"] == "clock"
    key = "tokens_per_second" if is_by_clock else "tokens_per_processor_second"
    steps_per_second = found["variants"][name][key] / (load.tokens + load.sentences)
    reached = sum(operations.values()) * steps_per_second / 1e9
    return {
        "kept_share": kept,
        "gflop_a_step": {part: count / 1e9 for part, count in operations.items()},
        "gflops": reached,
        "share_of_peak": reached / max(found["peak_gflops"].values()),
    }


def _some_batches(bench: TrainBench, batches: Batches) -> list[Batch]:
    return [batches.at(step) for step in range(bench.steps)]


def _growth(
    bench: TrainBench, variants: dict[str, Variant], splits: list[Split], clock: Clock
) -> dict[str, Any]:
    rows = measure_growth(
        variants["decoder, adaptive softmax"],
        splits,
        batch=bench.batch,
        steps=bench.steps,
        rounds=bench.rounds,
        clock=clock,
    )
    ratio = rows[-1]["milliseconds_a_step"] / rows[0]["milliseconds_a_step"]
    return {
        "corpora": rows,
        "ratio": ratio,
        "target": GROWTH_TARGET,
        "reached": ratio <= GROWTH_TARGET,
    }


def _memory(bench: TrainBench, split: Split, say: Say) -> dict[str, Any]:
    say(f"memory of tersely train on {len(split):,} sentences")
    with tempfile.TemporaryDirectory() as folder:
        found = peak_memory(
            split,
            Path(folder),
            vocabulary=bench.vocabulary,
            steps=MEMORY_STEPS,
            threads=bench.threads,
        )
    target = MEMORY_TARGET_MIB
    return {**found, "target_mib": target, "reached": found["peak_mib"] < target}


def _machine(threads: int) -> dict[str, Any]:
    return {
        "processor": processor_name(),
        "cores": os.cpu_count(),
        "threads": threads,
        "load_average": os.getloadavg()[0],
        "python": platform.python_version(),
        "torch": torch.__version__,
    }


def _corpus(bench: TrainBench, split: Split) -> dict[str, Any]:
    return {
        "sentences": len(split),
        "tokens": len(split.tokens),
        "vocabulary": bench.vocabulary,
        "units": bench.units,
        "batch": bench.batch,
    }
