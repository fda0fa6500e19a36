"""The peer: OpenNMT-py's LSTM with global attention and copying, of the paper's size.

It lives in a venv of its own, made here once, since its wheel asks for a torch older than
ours; with --no-deps it trains just as well on the same torch. It reads the same sentences as
tersely, with Unif(0.5) keywords drawn beforehand. Two things differ, both in its nature:
attention is fed back into its LSTM (copying requires that there), and its batches hold
sentences of about one length, so that there is less padding.

Its log tells target tokens a second, end marks included, every few steps. The first report
is warm-up (reading the corpus, first allocations) and is left out.
"""

import json
import os
import re
import subprocess
import sys
from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tersely.corpus.dataset import Split
from tersely.errors import TerselyError
from tersely.text.vocabulary import SPECIAL_TOKENS
from tersely_lab.benchmarks.pace import Pace, processor_seconds_of
from tersely_lab.benchmarks.venvs import ensure_venv
from tersely_lab.benchmarks.zipf import lexicon, write_pairs

VERSION = "3.5.1"
DEFAULT_FOLDER = Path("~/.cache/tersely/peers/opennmt")
REPORT_EVERY_STEPS = 10
_NEEDED = (
    "configargparse pyonmttok sacrebleu pyyaml rapidfuzz six tensorboard numpy fasttext-wheel "
    "flask waitress spacy ctranslate2 pyahocorasick setuptools"
)
_REPORT = re.compile(
    r"Step\s+(?P<step>\d+)/.*?"
    r"bsz:\s*[\d.]+/\s*(?P<tokens>[\d.]+)/\s*[\d.]+;\s*"
    r"[\d.]+/\s*(?P<rate>[\d.]+) tok/s"
)


@dataclass(frozen=True, slots=True)
class Report:
    """What a line of its log says of the steps since the line before."""

    step: int
    target_tokens_a_step: float
    target_tokens_per_second: float


def parse_report(line: str) -> Report | None:
    """Read a line of the training log; None if it tells no speed."""
    found = _REPORT.search(line)
    if found is None:
        return None
    return Report(int(found["step"]), float(found["tokens"]), float(found["rate"]))


def pace_of(stamped: list[tuple[Report, float | None]]) -> Pace:
    """Sum up the reports after the first; each comes with the processor time at its line."""
    if len(stamped) < 2:
        raise TerselyError(
            f"OpenNMT-py's log holds {len(stamped)} reports; two at least are needed. "
            "Try --no-peer."
        )
    tokens = seconds = 0.0
    for (before, _), (report, _) in pairwise(stamped):
        stretch = report.target_tokens_a_step * (report.step - before.step)
        tokens += stretch
        seconds += stretch / report.target_tokens_per_second
    first, last = stamped[0][1], stamped[-1][1]
    used = None if first is None or last is None else last - first
    return Pace(round(tokens), seconds, used)


def ensure_installed(folder: Path, *, torch_version: str) -> None:
    """Make the peer's venv, unless it is there and whole."""
    versions = {"opennmt": VERSION, "torch": torch_version}
    commands = install_commands(folder, torch_version=torch_version)
    ensure_venv(folder, commands, name="OpenNMT-py", versions=versions)


def install_commands(folder: Path, *, torch_version: str) -> list[list[str]]:
    """What makes the venv, in order; torch is pinned to the one tersely runs on."""
    install = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    return [
        [sys.executable, "-m", "venv", str(folder)],
        [*install, f"torch=={torch_version.partition('+')[0]}"],
        [*install, "--no-deps", f"OpenNMT-py=={VERSION}"],
        [*install, *_NEEDED.split()],
    ]


def write_task(
    split: Split, folder: Path, *, vocabulary: int, steps: int, batch: int, units: int
) -> Path:
    """Write corpus, vocabulary and settings; return the settings' path."""
    words = lexicon(vocabulary)
    write_pairs(split, words=words, keywords=folder / "keywords", sentences=folder / "sentences")
    # Its own special tokens, and padding to a multiple of 8, make it as large as ours again.
    named = "".join(f"{word}\t1\n" for word in words.tokens[len(SPECIAL_TOKENS) :])
    (folder / "vocabulary").write_text(named, encoding="utf-8")
    settings = {
        "data": {
            "generated": {
                "path_src": str(folder / "keywords"),
                "path_tgt": str(folder / "sentences"),
            }
        },
        "src_vocab": str(folder / "vocabulary"),
        "tgt_vocab": str(folder / "vocabulary"),
        "share_vocab": True,
        "vocab_size_multiple": 8,
        "save_model": str(folder / "model"),
        "seed": 1,
        **_model(units),
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


def _model(units: int) -> dict[str, object]:
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


def train(venv: Path, settings: Path, *, threads: int) -> Pace:
    """Train as the settings say; return its pace after the warm-up."""
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": str(threads),
        "MKL_NUM_THREADS": str(threads),
    }
    command = [str(venv / "bin" / "onmt_train"), "-config", str(settings)]
    stamped: list[tuple[Report, float | None]] = []
    last_lines: deque[str] = deque(maxlen=5)
    with subprocess.Popen(
        command,
        env=environment,
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
                    stamped.append((report, processor_seconds_of(process.pid)))
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        raise TerselyError(
            f"{venv}: OpenNMT-py failed ({last_lines[-1] if last_lines else 'no output'}). "
            "Remove this folder to have it installed anew, or give --no-peer."
        )
    return pace_of(stamped)
