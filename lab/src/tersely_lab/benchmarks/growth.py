"""Does a step cost more on a larger corpus, and how much memory does training need?

The time of a step is measured on a small and a large corpus in turns. Memory is the
greatest resident size of `tersely train` itself, with judging and checkpoints, run as
its own process on the large one.
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tersely.corpus.dataset import Split
from tersely.errors import TerselyError
from tersely.training.batches import Batches
from tersely_lab.benchmarks.pace import Clock
from tersely_lab.benchmarks.variant import Variant
from tersely_lab.benchmarks.zipf import lexicon, write_prepared

DRAWS = 100


def measure_growth(
    variant: Variant, splits: Sequence[Split], *, batch: int, steps: int, rounds: int, clock: Clock
) -> list[dict[str, Any]]:
    """Time steps, and the drawing of batches alone, on each split in turns."""
    sources = [Batches(split, batch_size=batch, seed=1) for split in splits]
    seconds: list[list[float]] = [[] for _ in splits]
    shuffle = [_seconds_of_first(source) for source in sources]
    for turn in range(rounds):
        for source, spent in zip(sources, seconds, strict=True):
            variant.batches = source
            start = clock()
            tokens = variant.train(range(turn * steps, (turn + 1) * steps))
            spent.append((clock() - start) / tokens)
    tokens_a_step = statistics.mean(record.tokens for record in variant.records)
    return [
        {
            "sentences": len(split),
            "milliseconds_a_step": 1e3 * tokens_a_step * statistics.median(spent),
            "milliseconds_a_batch": 1e3 * _draw_seconds(source, clock),
            "milliseconds_a_shuffle": 1e3 * first,
        }
        for split, source, spent, first in zip(splits, sources, seconds, shuffle, strict=True)
    ]


def _seconds_of_first(source: Batches) -> float:
    """The first batch of an epoch comes with its shuffle."""
    start = time.perf_counter()
    source.at(0)
    return time.perf_counter() - start


def _draw_seconds(source: Batches, clock: Clock) -> float:
    count = min(DRAWS, source.batches_per_epoch)
    source.at(0)
    start = clock()
    for step in range(count):
        source.at(step)
    return (clock() - start) / count


def peak_memory(
    split: Split, folder: Path, *, vocabulary: int, steps: int, threads: int
) -> dict[str, Any]:
    """Run `tersely train` on a split, the paper's settings, and return its peak in MiB."""
    write_prepared(split, folder / "corpus", words=lexicon(vocabulary))
    config = folder / "paper.toml"
    config.write_text(f"[training]\nmax_steps = {steps}\n", encoding="utf-8")
    arguments = ["train", "--config", config, "--data", folder / "corpus", "--out", folder / "run"]
    with (folder / "log").open("w+", encoding="utf-8") as log:
        command = [sys.executable, "-m", "tersely", *map(str, arguments), "--threads", str(threads)]
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            log.seek(0)
            raise TerselyError(f"tersely train failed: {log.read().strip()[-300:]}")
    unit = 1 if sys.platform == "darwin" else 1024  # ru_maxrss is in bytes there, in KiB here
    return {
        "sentences": len(split),
        "steps": steps,
        "peak_mib": usage.ru_maxrss * unit / 2**20,
    }
