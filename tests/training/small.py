"""A prepared corpus and a config small enough to train in a test."""

from pathlib import Path
from typing import Any

from tersely.corpus.fixture import fixture_sentences
from tersely.corpus.prepare import PrepareSettings, Source, prepare
from tersely.training.config import RunConfig, parse_config
from tersely.training.run import RunRequest, train

CONFIGS = Path(__file__).parents[2] / "configs"
TABLES: dict[str, dict[str, Any]] = {
    "model": {
        "embedding_units": 12,
        "encoder_units": 12,
        "reader_units": 12,
        "decoder_units": 12,
    },
    "estimator": {"samples": 1, "decoder_first_steps": 3},
    "training": {
        "batch_sentences": 16,
        "max_steps": 20,
        "evaluate_every_steps": 5,
        "evaluate_sentences": 40,
        "checkpoint_every_steps": 5,
    },
}


MONOTONE_TABLES: dict[str, dict[str, Any]] = {
    "model": {"architecture": "monotone", "encoder_embedding_units": 6},
    "objective": {"kind": "distilled"},
}


class Silent:
    def phase(self, name: str) -> None:
        assert name


def small_config(**changes: dict[str, Any]) -> RunConfig:
    """The small config with changed tables, such as training={"seed": 2}."""
    tables = {name: {**table} for name, table in TABLES.items()}
    for name, table in changes.items():
        tables[name] = {**tables.get(name, {}), **table}
    return parse_config(tables, where="test")


def small_corpus(folder: Path, sentences: int = 600, vocabulary: int = 200) -> Path:
    prepare(
        {"all": Source(["fixture"], lambda _: fixture_sentences(sentences))},
        folder,
        PrepareSettings(processes=1, segment=False, vocabulary_size=vocabulary),
        progress=Silent(),
    )
    return folder


def small_run(data: Path, run: Path, config: RunConfig | None = None, **options: Any) -> Path:
    """Train a run to its end, as `tersely train` does."""
    request = RunRequest(config or small_config(), data, run, threads=1, **options)
    train(request, lambda step, row: None)
    return run
