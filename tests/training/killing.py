"""Trains a run, kills it at a random moment, looks at what is left, and goes on, many times.

    python -m tests.training.killing DATA RUN KILLS SEED

Prints a line of JSON for each kill. It is a process of its own so that its children can be
forked from one that has loaded torch already and never had more than one thread.
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


class Ticking(StopRequest):
    """Never stops, but tells through a pipe when a step is over."""

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
    """Let a child train for a few steps, and end it somewhere in or after the last of them."""
    ticks, pipe = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            open_run(data, run).train(Ticking(pipe), [])
        finally:
            os._exit(1)
    os.close(pipe)
    step_seconds = 0.1
    for _ in range(rng.randrange(5)):
        started = time.monotonic()
        assert os.read(ticks, 1) == b".", "the child has died by itself"
        step_seconds = time.monotonic() - started
    time.sleep(rng.uniform(0, step_seconds))
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(ticks)
    assert os.WTERMSIG(status) == signal.SIGKILL, "the child has died by itself"


def look(run: Path) -> dict[str, object]:
    """Load what is there; anything half done raises."""
    folders = [path.name for path in (run / "checkpoints").glob("step-*")]
    saved = Checkpoint.load_newest(run)
    try:
        model = ModelFolder.from_pretrained(run).settings["trained"]["steps"]
    except UsageError:  # not there yet
        model = None
    return {
        "named": max((int(name.removeprefix("step-")) for name in folders), default=0),
        "step": saved.step if saved else 0,
        "tensors": len(saved.weights) + len(saved.moments) if saved else 0,
        "model": model,
        "interrupted": len([*run.glob(".*"), *(run / "checkpoints").glob(".*")]),
    }


def main() -> None:
    sys.modules["matplotlib"] = None  # drawing would take longer than all else, and is not of use
    data, run, kills, seed = Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:])
    rng = random.Random(seed)
    run.mkdir(exist_ok=True)
    # torch loads a second's worth of modules with the first optimizer: not in every child.
    torch.optim.Adam([torch.nn.Parameter(torch.zeros(1))])
    for _ in range(kills):
        kill_once(data, run, rng)
        print(json.dumps(look(run)), flush=True)


if __name__ == "__main__":
    main()
