import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from tersely.errors import TerselyError
from tersely.training.checkpoint import (
    Checkpoint,
    get_moments,
    list_checkpoints,
    load_moments,
)
from tests.training.kills import open_run


def random_checkpoint(step: int, seed: int = 1) -> Checkpoint:
    generator = torch.Generator().manual_seed(seed)
    return Checkpoint(
        step=step,
        weights={"a.b": torch.rand(3, 4, generator=generator), "c": torch.rand(1)},
        moments={"0.exp_avg": torch.rand(3, 4, generator=generator), "0.step": torch.tensor(7.0)},
        random_state=generator.get_state(),
        state={"seconds": 1.5, "objective": {"weight": 2.5}},
    )


def newest(run: Path) -> Checkpoint:
    saved = Checkpoint.load_newest(run)
    assert saved is not None
    return saved


def test_a_checkpoint_loads_bit_for_bit(tmp_path: Path) -> None:
    saved = random_checkpoint(12)
    saved.save(tmp_path)
    loaded = newest(tmp_path)
    assert (loaded.step, loaded.state) == (12, saved.state)
    for ours, theirs in ((saved.weights, loaded.weights), (saved.moments, loaded.moments)):
        assert ours.keys() == theirs.keys()
        assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    assert torch.equal(saved.random_state, loaded.random_state)


def test_a_run_without_checkpoints_has_none(tmp_path: Path) -> None:
    assert Checkpoint.load_newest(tmp_path) is None
    (tmp_path / "checkpoints" / ".step-00000001.99.x").mkdir(parents=True)
    assert Checkpoint.load_newest(tmp_path) is None


def test_the_two_newest_checkpoints_are_kept(tmp_path: Path) -> None:
    for step in (5, 99_999_999, 100_000_000):
        random_checkpoint(step).save(tmp_path)
    names = [path.name for path in list_checkpoints(tmp_path)]
    assert names == ["step-99999999", "step-100000000"]
    assert newest(tmp_path).step == 100_000_000


def test_an_existing_checkpoint_is_not_replaced(tmp_path: Path) -> None:
    random_checkpoint(5).save(tmp_path)
    folder = list_checkpoints(tmp_path)[0]
    before = folder.stat().st_ino
    random_checkpoint(5).save(tmp_path)
    assert folder.stat().st_ino == before


def test_a_restored_optimizer_continues_identically() -> None:
    def steps(optimizer: torch.optim.Adam, weight: torch.nn.Parameter, count: int) -> None:
        for _ in range(count):
            optimizer.zero_grad()
            torch.autograd.backward(weight.square().sum() + weight.sin().sum())
            optimizer.step()

    first_weight = torch.nn.Parameter(torch.arange(4.0))
    first = torch.optim.Adam([first_weight], lr=0.1)
    steps(first, first_weight, 3)
    second_weight = torch.nn.Parameter(first_weight.detach().clone())
    second = torch.optim.Adam([second_weight], lr=0.1)
    load_moments(second, {name: tensor.clone() for name, tensor in get_moments(first).items()})
    steps(first, first_weight, 5)
    steps(second, second_weight, 5)
    assert torch.equal(first_weight, second_weight)


def cut(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])


def without_random_state(folder: Path) -> None:
    tensors = load_file(folder / "tensors.safetensors")
    del tensors["random_state"]
    save_file(tensors, folder / "tensors.safetensors")


DAMAGE: dict[str, Callable[[Path], object]] = {
    "no weights": lambda folder: (folder / "tensors.safetensors").unlink(),
    "empty weights": lambda folder: cut(folder / "tensors.safetensors", 0),
    "a cut header": lambda folder: cut(folder / "tensors.safetensors", 30),
    "cut weights": lambda folder: cut(folder / "tensors.safetensors", 400),
    "garbage": lambda folder: (folder / "tensors.safetensors").write_bytes(b"\xff" * 500),
    "no random state": without_random_state,
    "no state": lambda folder: (folder / "state.json").unlink(),
    "cut state": lambda folder: cut(folder / "state.json", 10),
    "binary state": lambda folder: (folder / "state.json").write_bytes(b"\xff\xfe\x00"),
    "a list for a state": lambda folder: (folder / "state.json").write_text("[1]"),
    "no step": lambda folder: (folder / "state.json").write_text("{}"),
}


@pytest.mark.promise(3)
@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_checkpoint_is_an_error_that_names_it(tmp_path: Path, kind: str) -> None:
    random_checkpoint(5).save(tmp_path)
    random_checkpoint(10).save(tmp_path)
    folder = list_checkpoints(tmp_path)[-1]
    DAMAGE[kind](folder)
    with pytest.raises(TerselyError) as caught:
        Checkpoint.load_newest(tmp_path)
    complaint = str(caught.value)
    assert complaint.startswith(f"{folder}: ")
    assert "Remove this folder" in complaint
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    assert newest(tmp_path).step == 5


def kill(data: Path, run: Path, *, kills: int, seed: int) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "tests.training.kills", str(data), str(run)]
    done = subprocess.run(
        [*command, str(kills), str(seed)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def assert_nothing_was_lost(data: Path, folder: Path, *, kills: int, seed: int) -> None:
    seen = kill(data, folder / "killed", kills=kills, seed=seed)
    assert len(seen) == kills
    for before, after in zip([{"step": 0}, *seen], seen, strict=False):
        assert after["step"] == after["named"] >= before["step"]
        assert after["step"] == 0 or after["tensors"] > 20
        # Two kills in a row may leave an older model; never one ahead of its checkpoint.
        assert after["model"] is None or after["model"] <= after["step"]
    assert seen[-1]["step"] > kills / 4
    # Some of them were killed while saving.
    assert any(row["interrupted"] or row["model"] != row["step"] for row in seen)

    killed, whole = open_run(data, folder / "killed"), open_run(data, folder / "whole")
    while whole.step < killed.step:
        whole.train_step()
    for trainer in (killed, whole):
        trainer.train_step()
        trainer.log.close()
    ours, theirs = killed.task.scheme.state_dict(), whole.task.scheme.state_dict()
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)


@pytest.mark.promise(3)
def test_a_run_killed_at_any_moment_resumes_from_its_newest_checkpoint(
    corpus: Path, tmp_path: Path
) -> None:
    assert_nothing_was_lost(corpus, tmp_path, kills=12, seed=1)


@pytest.mark.promise(3)
@pytest.mark.long
def test_a_run_killed_two_hundred_times_loses_nothing(corpus: Path, tmp_path: Path) -> None:
    assert_nothing_was_lost(corpus, tmp_path, kills=200, seed=2)
