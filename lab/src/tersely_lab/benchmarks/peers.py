"""Peers: other software to compare with, each in a venv of its own.

A venv is made once. It has the torch version that tersely runs on. OpenNMT-py's wheel requires an
older torch; installed with --no-deps it runs on the same one. How a peer trains is train/peer.py's
job, how it decodes latency/peer.py's.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tersely.errors import TerselyError, UsageError
from tersely_lab.benchmarks.measurement import ONE_THREAD, peak_mib, run_measured

OPENNMT_VERSION = "3.5.1"
TRANSFORMERS_VERSION = "5.22.2"
DEFAULT_FOLDER = Path("~/.cache/tersely/peers")
MARKER = "complete.json"
OPENNMT_REQUIREMENTS = (
    "configargparse pyonmttok sacrebleu pyyaml rapidfuzz six tensorboard numpy fasttext-wheel "
    "flask waitress spacy ctranslate2 pyahocorasick setuptools"
)
T5_SMALL = {
    "d_model": 512,
    "d_kv": 64,
    "d_ff": 2048,
    "num_layers": 6,
    "num_heads": 8,
    "vocab_size": 32_128,
}
"""The sizes of T5-small, 60.5 million parameters (https://arxiv.org/abs/1910.10683)."""


def install_opennmt(folder: Path, *, torch_version: str) -> None:
    """Make the venv of OpenNMT-py, unless it is complete."""
    pip = _pip_install(folder)
    commands = [
        [sys.executable, "-m", "venv", str(folder)],
        [*pip, _torch(torch_version)],
        [*pip, "--no-deps", f"OpenNMT-py=={OPENNMT_VERSION}"],
        [*pip, *OPENNMT_REQUIREMENTS.split()],
    ]
    versions = {"opennmt": OPENNMT_VERSION, "torch": torch_version}
    ensure_venv(folder, commands, name="OpenNMT-py", versions=versions)


def install_transformers(folder: Path, *, torch_version: str) -> None:
    """Make the venv of transformers, unless it is complete."""
    pip = _pip_install(folder)
    commands = [
        [sys.executable, "-m", "venv", str(folder)],
        [*pip, _torch(torch_version), "numpy"],
        [*pip, f"transformers=={TRANSFORMERS_VERSION}"],
    ]
    versions = {"transformers": TRANSFORMERS_VERSION, "torch": torch_version}
    ensure_venv(folder, commands, name="transformers", versions=versions)


def _pip_install(folder: Path) -> list[str]:
    return [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]


def _torch(version: str) -> str:
    return f"torch=={version.partition('+')[0]}"


def ensure_venv(
    folder: Path, commands: Sequence[Sequence[str]], *, name: str, versions: dict[str, str]
) -> None:
    """Run the commands that make a venv, unless its marker file has these versions."""
    marker = folder / MARKER
    if marker.exists() and json.loads(marker.read_text(encoding="utf-8")) == versions:
        return
    if folder.exists() and any(folder.iterdir()) and not (folder / "pyvenv.cfg").exists():
        raise UsageError(f"{folder}: exists and is not a venv. Give another --peers, or --no-peer.")
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            last_line = (done.stderr or done.stdout).strip().splitlines()[-1:]
            raise TerselyError(
                f"{folder}: {name} could not be installed ({' '.join(last_line)}). "
                "Run the command again, or give --no-peer."
            )
    marker.write_text(json.dumps(versions) + "\n", encoding="utf-8")


def run_candidate(command: Sequence[str], *, name: str, is_peer: bool) -> dict[str, Any]:
    """Run a program on one thread; return the JSON of its last line, with `peak_mib`."""
    environment = {**os.environ, **ONE_THREAD}
    if is_peer:  # modules of this checkout must not shadow those of the peer's venv
        environment.pop("PYTHONPATH", None)
        environment["PYTHONSAFEPATH"] = "1"
    output, usage, code = run_measured(command, environment)
    lines = output.strip().splitlines() or ["no output"]
    try:
        outcome = json.loads(lines[-1])
    except ValueError as error:
        advice = "Remove its venv to have it installed anew, or give --no-peer." if is_peer else ""
        raise TerselyError(f"{name} failed ({lines[-1][:200]}). {advice}".strip()) from error
    if "error" in outcome or code != 0:
        raise UsageError(outcome.get("error", f"{name} failed ({lines[-1][:200]})."))
    return {**outcome, "peak_mib": peak_mib(usage)}


def opennmt_step_multiply_adds(*, units: int, vocabulary: int) -> int:
    """Return the multiply-adds of a decoder step of OpenNMT-py, for one row."""
    lstm = 3 * units * 4 * units  # its inputs: token, attention and state
    attention = units * units + 2 * units * units
    copy_gate = units
    return lstm + attention + copy_gate + units * vocabulary


def t5_step_multiply_adds(sizes: dict[str, int]) -> int:
    """Return the multiply-adds of a T5 decoder step, for one row; source projections are cached."""
    model, inner = sizes["d_model"], sizes["num_heads"] * sizes["d_kv"]
    attention = 4 * model * inner + 2 * model * inner  # self-attention and cross-attention
    layer = attention + 2 * model * sizes["d_ff"]
    return sizes["num_layers"] * layer + model * sizes["vocab_size"]
