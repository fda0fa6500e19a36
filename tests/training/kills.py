"""Train a run, kill it at a random moment, load what is left, and resume it, many times.

    python -m tests.training.kills DATA RUN KILLS SEED

Prints a JSON line for each kill. It runs in its own process, which loads torch once and has a
single thread, so that it can fork its children.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import torch

from tersely.corpus.dataset import PreparedCorpus
from tersely.errors import UsageError
from tersely.model.folder import ModelFolder
from tersely.training.checkpoint import Checkpoint
from tersely.training.loop import Trainer
from tersely.training.stop_criteria import StopRequest
from tests.training.small import small_config

CONFIG = small_config(
    training={"max_steps": 100_000, "evaluate_every_steps": 1000, "checkpoint_every_steps": 1}
)


class StepSignal(StopRequest):
    """Never requests a stop; writes to a pipe after each step."""

    def __init__(self, pipe: int) -> None:
        super().__init__(minutes=None)
        self._pipe = pipe

    @property
    def is_requested(self) -> bool:
        os.write(self._pipe, b".")
        return False


def open_run(data: Path, run: Path) -> Trainer:
    return Trainer.open(CONFIG, PreparedCorpus.open(data), run, start=None)


def kill_once(data: Path, run: Path, rng: random.Random) -> None:
    """Let a child train for a few steps, and kill it during or after the last of them."""
    ticks, pipe = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            open_run(data, run).train(StepSignal(pipe), [])
        finally:
            os._exit(1)
    os.close(pipe)
    step_seconds = 0.1
    for _ in range(rng.randrange(5)):
        started = time.monotonic()
        assert os.read(ticks, 1) == b".", "the child died on its own"
        step_seconds = time.monotonic() - started
    time.sleep(rng.uniform(0, step_seconds))
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(ticks)
    assert os.WTERMSIG(status) == signal.SIGKILL, "the child died on its own"


def inspect(run: Path) -> dict[str, object]:
    """Load the newest checkpoint and the model; a partial one raises an error."""
    folders = [path.name for path in (run / "checkpoints").glob("step-*")]
    saved = Checkpoint.load_newest(run)
    try:
        model = ModelFolder.from_pretrained(run).settings["trained"]["steps"]
    except UsageError:  # not written yet
        model = None
    return {
        "named": max((int(name.removeprefix("step-")) for name in folders), default=0),
        "step": saved.step if saved else 0,
        "tensors": len(saved.weights) + len(saved.moments) if saved else 0,
        "model": model,
        "interrupted": len([*run.glob(".*"), *(run / "checkpoints").glob(".*")]),
    }


def main() -> None:
    sys.modules["matplotlib"] = None  # type: ignore[assignment]  # plotting takes longest
    data, run, kills, seed = Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:])
    rng = random.Random(seed)
    run.mkdir(exist_ok=True)
    # The first optimizer imports modules for a second; do it here, not in every child.
    torch.optim.Adam([torch.nn.Parameter(torch.zeros(1))])
    for _ in range(kills):
        kill_once(data, run, rng)
        print(json.dumps(inspect(run)), flush=True)


if __name__ == "__main__":
    main()
