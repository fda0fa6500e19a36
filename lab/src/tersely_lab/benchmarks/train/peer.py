"""The peer in training: OpenNMT-py's LSTM with global attention and copying, at the paper's size.

It reads the same sentences as tersely, with Unif(0.5) keywords drawn beforehand. Two differences
are inherent: its attention is fed back into its LSTM (its copying requires that), and its batches
hold sentences of similar length, which saves padding.

Its log reports target tokens per second, end marks included, every few steps. The first report
covers the warm-up (reading the corpus, first allocations) and is left out.
"""

import json
import os
import re
import subprocess
from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tersely.corpus.dataset import Split
from tersely.errors import TerselyError
from tersely.text.vocabulary import SPECIAL_TOKENS
from tersely_lab.benchmarks.measurement import Throughput, process_cpu_seconds
from tersely_lab.benchmarks.train.zipf import vocabulary_of, write_pairs

REPORT_EVERY_STEPS = 10
_REPORT = re.compile(
    r"Step\s+(?P<step>\d+)/.*?"
    r"bsz:\s*[\d.]+/\s*(?P<tokens>[\d.]+)/\s*[\d.]+;\s*"
    r"[\d.]+/\s*(?P<rate>[\d.]+) tok/s"
)


@dataclass(frozen=True, slots=True)
class Report:
    """A line of the log: the mean over the steps since the report before."""

    step: int
    target_tokens_per_step: float
    target_tokens_per_second: float


def parse_report(line: str) -> Report | None:
    """Parse a line of the training log; return None if it reports no speed."""
    match = _REPORT.search(line)
    if match is None:
        return None
    return Report(int(match["step"]), float(match["tokens"]), float(match["rate"]))


def sum_reports(reports: list[tuple[Report, float | None]]) -> Throughput:
    """Add up the reports after the first; each comes with the processor time at its line."""
    if len(reports) < 2:
        raise TerselyError(
            f"OpenNMT-py's log holds {len(reports)} reports; at least two are needed. "
            "Try --no-peer."
        )
    tokens = seconds = 0.0
    for (before, _), (report, _) in pairwise(reports):
        interval_tokens = report.target_tokens_per_step * (report.step - before.step)
        tokens += interval_tokens
        seconds += interval_tokens / report.target_tokens_per_second
    first, last = reports[0][1], reports[-1][1]
    processor_seconds = None if first is None or last is None else last - first
    return Throughput(round(tokens), seconds, processor_seconds)


def write_task(
    split: Split, folder: Path, *, vocabulary: int, steps: int, batch: int, units: int
) -> Path:
    """Write corpus, vocabulary and settings; return the path of the settings."""
    words = vocabulary_of(vocabulary)
    write_pairs(split, words=words, keywords=folder / "keywords", sentences=folder / "sentences")
    # With its own special tokens and padding to a multiple of 8 it has as many words as ours.
    lines = "".join(f"{word}\t1\n" for word in words.tokens[len(SPECIAL_TOKENS) :])
    (folder / "vocabulary").write_text(lines, encoding="utf-8")
    files = {"path_src": str(folder / "keywords"), "path_tgt": str(folder / "sentences")}
    settings = {
        "data": {"generated": files},
        "src_vocab": str(folder / "vocabulary"),
        "tgt_vocab": str(folder / "vocabulary"),
        "share_vocab": True,
        "vocab_size_multiple": 8,
        "save_model": str(folder / "model"),
        "seed": 1,
        **_model_settings(units),
        "optim": "adam",
        "learning_rate": 0.001,
        "decay_method": "none",
        "batch_type": "sents",
        "batch_size": batch,
        "bucket_size": 32 * batch,
        "num_workers": 0,
        "world_size": 1,
        "gpu_ranks": [],
        "train_steps": steps,
        "valid_steps": 10 * steps,
        "save_checkpoint_steps": 10 * steps,
        "report_every": REPORT_EVERY_STEPS,
    }
    path = folder / "settings.yaml"
    path.write_text(json.dumps(settings, indent=2), encoding="utf-8")  # JSON is YAML
    return path


def _model_settings(units: int) -> dict[str, object]:
    return {
        "encoder_type": "brnn",  # `units` in both directions together, as in configs/paper.toml
        "decoder_type": "rnn",
        "rnn_type": "LSTM",
        "word_vec_size": units,
        "hidden_size": units,
        "enc_layers": 1,
        "dec_layers": 1,
        "share_embeddings": True,
        "global_attention": "general",
        "input_feed": 1,
        "copy_attn": True,
        "reuse_copy_attn": True,
        "param_init": 0.1,
        "dropout": [0.0],
    }


def train(venv: Path, settings: Path, *, threads: int) -> Throughput:
    """Train with the settings; return the throughput after the warm-up."""
    count = {"OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
    command = [str(venv / "bin" / "onmt_train"), "-config", str(settings)]
    reports: list[tuple[Report, float | None]] = []
    last_lines: deque[str] = deque(maxlen=5)
    with subprocess.Popen(
        command,
        env={**os.environ, **count},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=settings.parent,
    ) as process:
        try:
            for line in process.stdout or ():
                last_lines.append(line.strip())
                report = parse_report(line)
                if report is not None:
                    reports.append((report, process_cpu_seconds(process.pid)))
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        raise TerselyError(
            f"{venv}: OpenNMT-py failed ({last_lines[-1] if last_lines else 'no output'}). "
            "Remove this folder to have it installed anew, or give --no-peer."
        )
    return sum_reports(reports)
