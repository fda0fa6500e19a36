"""Checkpoints: the whole state of a run, so that it resumes as if it had never stopped.

    RUN/checkpoints/step-00001000/tensors.safetensors   weights, Adam's moments, random state
    RUN/checkpoints/step-00001000/state.json            step, λ, baseline, seconds

A checkpoint folder appears complete or not at all. It contains no pickle.
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

MAX_CHECKPOINTS = 2
_NAME = re.compile(r"step-(\d{8,})")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of a run between two steps."""

    step: int
    weights: dict[str, Tensor]
    moments: dict[str, Tensor]
    random_state: Tensor
    state: dict[str, Any]  # λ, baseline, seconds: values that JSON can hold

    def save(self, run: Path) -> None:
        """Write the checkpoint below the run, and remove all but the newest ones."""
        folder = run / "checkpoints" / f"step-{self.step:08d}"
        tensors = {
            **{f"weights.{name}": tensor for name, tensor in self.weights.items()},
            **{f"moments.{name}": tensor for name, tensor in self.moments.items()},
            "random_state": self.random_state,
        }
        # A step has one state, so an existing checkpoint of it is equal to this one. Replacing
        # it would remove it for a moment, and the run may be killed at that moment.
        if not folder.exists():
            with new_folder(folder) as partial:
                _write(tensors, partial / "tensors.safetensors")
                text = json.dumps({"step": self.step, **self.state})
                (partial / "state.json").write_text(text, encoding="utf-8")
        for old in list_checkpoints(run)[:-MAX_CHECKPOINTS]:
            shutil.rmtree(old, ignore_errors=True)

    @classmethod
    def load_newest(cls, run: Path) -> "Checkpoint | None":
        """Load the newest checkpoint of a run; None if there is none yet."""
        folders = list_checkpoints(run)
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
                "Remove this folder to resume from the checkpoint before it."
            ) from error
        parts: dict[str, dict[str, Tensor]] = {"weights": {}, "moments": {}}
        for name, tensor in tensors.items():
            kind, _, rest = name.partition(".")
            if kind in parts:
                parts[kind][rest] = tensor
        return cls(step, parts["weights"], parts["moments"], random_state, state)


def list_checkpoints(run: Path) -> list[Path]:
    """Return the checkpoint folders of a run, oldest first."""
    folder = run / "checkpoints"
    if not folder.is_dir():
        return []
    paths = [path for path in folder.iterdir() if _NAME.fullmatch(path.name)]
    return sorted(paths, key=lambda path: int(path.name.removeprefix("step-")))


def get_moments(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Return the tensors of an optimizer's state; "3.exp_avg" belongs to the fourth parameter."""
    entries = optimizer.state_dict()["state"]
    return {
        f"{index}.{name}": tensor
        for index, state in entries.items()
        for name, tensor in state.items()
        if isinstance(tensor, Tensor)
    }


def load_moments(optimizer: torch.optim.Optimizer, moments: dict[str, Tensor]) -> None:
    """Restore the tensors that `get_moments` returned."""
    optimizer_state = optimizer.state_dict()
    optimizer_state["state"] = {}
    for name, tensor in moments.items():
        index, _, key = name.partition(".")
        optimizer_state["state"].setdefault(int(index), {})[key] = tensor
    optimizer.load_state_dict(optimizer_state)


def _write(tensors: dict[str, Tensor], path: Path) -> None:
    try:
        save_file({name: tensor.detach().contiguous() for name, tensor in tensors.items()}, path)
    except SafetensorError as error:  # most often a full disk
        raise TerselyError(
            f"{path.parent.parent}: a checkpoint cannot be written ({error}). "
            "Free some space; the same command resumes from the newest checkpoint."
        ) from error
