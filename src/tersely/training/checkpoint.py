"""Checkpoints: everything a run needs to go on as if it had never stopped.

    RUN/checkpoints/step-00001000/tensors.safetensors   weights, Adam's moments, random state
    RUN/checkpoints/step-00001000/state.json            step, λ, baseline, history, clock

A checkpoint appears whole or not at all; the newest one that is there is complete. There
is no pickle in it.
"""

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from tersely.errors import TerselyError
from tersely.storage.atomic import new_folder

KEEP_NEWEST = 2
_NAME = re.compile(r"step-(\d{8,})")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The whole state of a run between two steps."""

    step: int
    weights: dict[str, Tensor]
    moments: dict[str, Tensor]
    random_state: Tensor
    state: dict[str, Any]  # λ, baseline, dev history, seconds: whatever JSON holds

    def save(self, run: Path) -> None:
        """Write it below the run and remove older ones."""
        folder = run / "checkpoints" / f"step-{self.step:08d}"
        tensors = {
            **{f"weights.{name}": tensor for name, tensor in self.weights.items()},
            **{f"moments.{name}": tensor for name, tensor in self.moments.items()},
            "random_state": self.random_state,
        }
        # A step has one state, so a checkpoint that is there is this one. To put another in
        # its place would take it away for a moment, and a run may be killed at any moment.
        if not folder.exists():
            with new_folder(folder) as partial:
                _write(tensors, partial / "tensors.safetensors")
                text = json.dumps({"step": self.step, **self.state})
                (partial / "state.json").write_text(text, encoding="utf-8")
        for older in found(run)[:-KEEP_NEWEST]:
            shutil.rmtree(older, ignore_errors=True)

    @classmethod
    def newest(cls, run: Path) -> "Checkpoint | None":
        """Load the newest checkpoint of a run; None if there is none yet."""
        folders = found(run)
        if not folders:
            return None
        folder = folders[-1]
        try:
            tensors = load_file(folder / "tensors.safetensors")
            state = json.loads((folder / "state.json").read_text(encoding="utf-8"))
            step, random_state = state.pop("step"), tensors.pop("random_state")
        except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
            raise TerselyError(
                f"{folder}: the checkpoint cannot be read ({error}). "
                "Remove this folder to go on from the one before."
            ) from error
        parts: dict[str, dict[str, Tensor]] = {"weights": {}, "moments": {}}
        for name, tensor in tensors.items():
            kind, _, rest = name.partition(".")
            if kind in parts:
                parts[kind][rest] = tensor
        return cls(step, parts["weights"], parts["moments"], random_state, state)


def _write(tensors: dict[str, Tensor], path: Path) -> None:
    try:
        save_file({name: tensor.detach().contiguous() for name, tensor in tensors.items()}, path)
    except SafetensorError as error:  # a full disk, most of the time
        raise TerselyError(
            f"{path.parent.parent}: a checkpoint cannot be written ({error}). "
            "Free some space; the same command goes on from the one before."
        ) from error


def found(run: Path) -> list[Path]:
    """List a run's checkpoints, oldest first."""
    folder = run / "checkpoints"
    if not folder.is_dir():
        return []
    named = [path for path in folder.iterdir() if _NAME.fullmatch(path.name)]
    return sorted(named, key=lambda path: int(path.name.removeprefix("step-")))


def moments_of(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Name each tensor of an optimizer's state: "3.exp_avg" is the fourth parameter's."""
    entries = optimizer.state_dict()["state"]
    return {
        f"{index}.{name}": tensor
        for index, state in entries.items()
        for name, tensor in state.items()
        if isinstance(tensor, Tensor)
    }


def restore_moments(optimizer: torch.optim.Optimizer, moments: dict[str, Tensor]) -> None:
    """Put an optimizer's tensors back."""
    whole = optimizer.state_dict()
    whole["state"] = {}
    for name, tensor in moments.items():
        index, _, key = name.partition(".")
        whole["state"].setdefault(int(index), {})[key] = tensor
    optimizer.load_state_dict(whole)
