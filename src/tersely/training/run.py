"""A run: its folder, the record of its config, and whether it may resume."""

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
from tersely.training.loop import Ending, Trainer
from tersely.training.metrics import MetricsCallback, tensorboard
from tersely.training.stop_criteria import StopRequest


@dataclass(frozen=True, slots=True)
class RunRequest:
    """The arguments of `tersely train`."""

    config: RunConfig
    data: Path
    out: Path
    init: str | Path | None = None
    minutes: float | None = None
    threads: int | None = None
    tensorboard: bool = False
    command: tuple[str, ...] = ()


def train(request: RunRequest, callback: MetricsCallback) -> Ending:
    """Start the run; the same request again resumes it where it stopped."""
    torch.set_num_threads(request.threads or available_cpus())
    corpus = PreparedCorpus.open(request.data)
    start = ModelFolder.from_pretrained(locate(request.init)) if request.init else None
    is_new = _write_or_check_record(request, corpus)
    if (request.out / "result.json").exists():
        ending: Ending = _read_json(request.out / "result.json").get("ending", "step limit")
        return ending
    try:
        trainer = Trainer.open(request.config, corpus, request.out, start=start)
    except TerselyError:
        if is_new:  # so that the folder can be used again with a corrected config
            _remove_record(request.out)
        raise
    try:
        with (
            StopRequest(minutes=request.minutes) as stop,
            tensorboard(request.out, is_enabled=request.tensorboard) as tensorboard_callback,
        ):
            return trainer.train(stop, [callback, tensorboard_callback])
    finally:
        trainer.log.close()


def _write_or_check_record(request: RunRequest, corpus: PreparedCorpus) -> bool:
    """Write RUN/run.json and return True, or check that the existing one is equal."""
    path = request.out / "run.json"
    record = {
        "config": request.config.as_dict(),
        "data": {key: corpus.summary[key] for key in ("sources", "settings", "lexicon_size")},
        "init": str(request.init) if request.init else None,
    }
    record = json.loads(json.dumps(record))  # tuples become lists, as they are on disk
    if not path.exists():
        if request.out.exists() and not _is_empty(request.out):
            raise UsageError(f"{request.out}: exists and is not a run. Give another --out.")
        request.out.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"command": shlex.join(request.command), **record}, indent=2)
        with new_file(path) as partial:
            partial.write_text(text + "\n", encoding="utf-8")
        return True
    saved = _add_defaults(_read_json(path), path)
    difference = _first_difference({key: saved.get(key) for key in record}, record)
    if difference:
        raise UsageError(
            f"{request.out}: this run was started with other settings: {difference}. "
            "Give another --out, or the config it was started with."
        )
    return False


def _add_defaults(saved: dict[str, Any], path: Path) -> dict[str, Any]:
    """Add the defaults of settings that did not exist when the run was started."""
    if not isinstance(saved.get("config"), dict):
        return saved
    config = parse_config(saved["config"], where=str(path)).as_dict()
    return {**saved, "config": json.loads(json.dumps(config))}


def _is_empty(folder: Path) -> bool:
    """Return whether a folder holds nothing but what a killed process may have left."""
    return folder.is_dir() and all(path.name.startswith(".run.json.") for path in folder.iterdir())


def _remove_record(run: Path) -> None:
    (run / "run.json").unlink()
    with suppress(OSError):  # the folder existed before and is not empty
        run.rmdir()


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise TerselyError(f"{path}: cannot be read as JSON. Give another --out.")
    return content


def _first_difference(saved: Any, requested: Any, path: str = "") -> str | None:
    """Return a description of the first key in which two nested dictionaries differ."""
    if isinstance(saved, dict) and isinstance(requested, dict):
        for key in {**requested, **saved}:
            inner = f"{path}.{key}" if path else key
            difference = _first_difference(saved.get(key), requested.get(key), inner)
            if difference:
                return difference
        return None
    return None if saved == requested else f"{path} was {saved!r}, now {requested!r}"
