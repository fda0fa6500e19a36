"""A run as a whole: its folder, its config, and whether it may go on."""

import json
import shlex
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from tersely.corpus.dataset import PreparedCorpus
from tersely.corpus.processes import available_cpus
from tersely.errors import TerselyError, UsageError
from tersely.model.folder import ModelFolder
from tersely.model.location import locate
from tersely.storage.atomic import new_file
from tersely.training.config import RunConfig, parse_config
from tersely.training.loop import Ending, Report, Trainer
from tersely.training.signals import StopRequest
from tersely.training.tensorboard import tensorboard


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What someone asked to be trained."""

    config: RunConfig
    data: Path
    out: Path
    init: str | Path | None = None
    minutes: float | None = None
    threads: int | None = None
    tensorboard: bool = False
    command: tuple[str, ...] = ()


def train(request: RunRequest, report: Report) -> Ending:
    """Start or resume the run; the same request again goes on where it stopped."""
    torch.set_num_threads(request.threads or available_cpus())
    corpus = PreparedCorpus.open(request.data)
    start = ModelFolder.from_pretrained(locate(request.init)) if request.init else None
    is_new = _record(request, corpus)
    if (request.out / "result.json").exists():
        ending: Ending = _read(request.out / "result.json").get("ending", "step limit")
        return ending
    try:
        trainer = Trainer.open(request.config, corpus, request.out, start=start)
    except TerselyError:
        if is_new:  # nothing has begun: the config may be changed, and the folder used again
            _forget(request.out)
        raise
    try:
        with (
            StopRequest(minutes=request.minutes) as stop,
            tensorboard(request.out, wanted=request.tensorboard) as board,
        ):
            return trainer.train(stop, [report, board])
    finally:
        trainer.log.close()


def _record(request: RunRequest, corpus: PreparedCorpus) -> bool:
    """Write RUN/run.json, or make sure that the one there says the same; tell which."""
    path = request.out / "run.json"
    asked = {
        "config": request.config.as_dict(),
        "data": {key: corpus.summary[key] for key in ("sources", "settings", "lexicon_size")},
        "init": str(request.init) if request.init else None,
    }
    asked = json.loads(json.dumps(asked))  # tuples become lists, as they are on disk
    if not path.exists():
        if request.out.exists() and not _is_empty(request.out):
            raise UsageError(f"{request.out}: exists and is no run. Give another --out.")
        request.out.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"command": shlex.join(request.command), **asked}, indent=2)
        with new_file(path) as partial:
            partial.write_text(text + "\n", encoding="utf-8")
        return True
    there = _with_defaults(_read(path), path)
    difference = _first_difference({key: there.get(key) for key in asked}, asked)
    if difference:
        raise UsageError(
            f"{request.out}: this run was started otherwise: {difference}. "
            "Give another --out, or the config it was started with."
        )
    return False


def _with_defaults(there: dict[str, Any], path: Path) -> dict[str, Any]:
    """Settings that did not exist yet when the run was started are at their defaults."""
    if not isinstance(there.get("config"), dict):
        return there
    config = parse_config(there["config"], where=str(path)).as_dict()
    return {**there, "config": json.loads(json.dumps(config))}


def _is_empty(folder: Path) -> bool:
    """Whether nothing is there but what a killed process may have left."""
    return folder.is_dir() and all(path.name.startswith(".run.json.") for path in folder.iterdir())


def _forget(run: Path) -> None:
    (run / "run.json").unlink()
    with suppress(OSError):  # it was there before and holds something
        run.rmdir()


def _read(path: Path) -> dict[str, Any]:
    try:
        there = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        there = None
    if not isinstance(there, dict):
        raise TerselyError(f"{path}: cannot be read as JSON. Give another --out.")
    return there


def _first_difference(there: Any, asked: Any, place: str = "") -> str | None:
    if isinstance(there, dict) and isinstance(asked, dict):
        for key in {**asked, **there}:
            inner = f"{place}.{key}" if place else key
            found = _first_difference(there.get(key), asked.get(key), inner)
            if found:
                return found
        return None
    return None if there == asked else f"{place} was {there!r}, now {asked!r}"
