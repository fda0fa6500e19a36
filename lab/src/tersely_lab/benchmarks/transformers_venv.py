"""The peer that keyword-to-text packages are built on: transformers, in a venv of its own."""

import sys
from pathlib import Path

from tersely_lab.benchmarks.venvs import ensure_venv

VERSION = "5.22.2"
DEFAULT_FOLDER = Path("~/.cache/tersely/peers/transformers")
T5_SMALL = {
    "d_model": 512,
    "d_kv": 64,
    "d_ff": 2048,
    "num_layers": 6,
    "num_heads": 8,
    "vocab_size": 32_128,
}
"""The sizes of T5-small, 60.5 million parameters (https://arxiv.org/abs/1910.10683)."""


def ensure_installed(folder: Path, *, torch_version: str) -> None:
    """Make the peer's venv, unless it is there and whole."""
    install = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    commands = [
        [sys.executable, "-m", "venv", str(folder)],
        [*install, f"torch=={torch_version.partition('+')[0]}", "numpy"],
        [*install, f"transformers=={VERSION}"],
    ]
    versions = {"transformers": VERSION, "torch": torch_version}
    ensure_venv(folder, commands, name="transformers", versions=versions)


def step_multiply_adds(sizes: dict[str, int]) -> int:
    """What one row of one decoder step multiplies; keys and values of the source are kept."""
    model, inner = sizes["d_model"], sizes["num_heads"] * sizes["d_kv"]
    attention = 4 * model * inner + 2 * model * inner  # to itself, and to the source
    layer = attention + 2 * model * sizes["d_ff"]
    return sizes["num_layers"] * layer + model * sizes["vocab_size"]
