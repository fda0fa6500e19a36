"""Cross-decoding: every decoder on every encoder's keywords, the data of table 2.

Keywords come from each run's predictions, decoders from the runs' models. The result is one bit
per sentence and pair, written to matrix.json, so the table can be made again without weights.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tersely.completion.completer import Completer
from tersely.errors import TerselyError
from tersely.evaluation.outcomes import (
    Bits,
    PredictionRecord,
    pack_bits,
    read_predictions,
    unpack_bits,
)
from tersely.storage.atomic import new_file
from tersely.text.tokens import tokenise
from tersely_lab.reproduction.runs import Results, Run

MATRIX_FILE = "matrix.json"
BATCH_SENTENCES = 128

OnProgress = Callable[[str], None]
Pair = tuple[str, str]  # names of the encoder's and of the decoder's run


@dataclass(frozen=True, slots=True)
class Matrix:
    """Which of the first test sentences each pair of encoder and decoder restores exactly."""

    sentences: int
    exact: Mapping[Pair, Bits]
    weights: Mapping[str, str]  # decoder's run → fingerprint of its weights
    keywords: Mapping[str, str]  # encoder's run → fingerprint of its keywords
    missing: Mapping[str, str]  # run → why it could not take part

    def bits(self, encoder: Run, decoder: Run) -> Bits | None:
        """Return a pair's bits; None if it was not decoded."""
        return self.exact.get((encoder.name, decoder.name))

    def accuracy(self, encoder: Run, decoder: Run) -> float | None:
        """Return a pair's exact match; None if it was not decoded."""
        bits = self.bits(encoder, decoder)
        return None if bits is None else float(bits.mean())


EMPTY = Matrix(0, {}, {}, {}, {})


def participants(results: Results) -> list[Run]:
    """Return the runs of table 2: Unif by rising δ, Constrained by falling ε, first seeds."""
    unif, constrained = results.points("unif"), results.points("constrained")
    return [point.runs[0] for point in (*unif, *reversed(constrained))]


def evaluate_matrix(
    runs: Sequence[Run],
    known: Matrix | None,
    *,
    sentences: int,
    keep: Path,
    on_progress: OnProgress,
) -> Matrix:
    """Decode every pair that `known` lacks; write the matrix to `keep` after each decoder."""
    count = min(sentences, len(runs[0].outcomes)) if runs else 0
    if known is not None and not any(weights_fingerprint(run) for run in runs):
        count = known.sentences  # without weights nothing can be decoded: use what there is
    valid = _still_valid(known, runs, count)
    exact, weights = dict(valid.exact), dict(valid.weights)
    missing: dict[str, str] = {}
    for decoder in runs:
        # The evaluation of a run has decoded its own keywords.
        exact[decoder.name, decoder.name] = decoder.outcomes.exact[:count]
        encoders = [run for run in runs if (run.name, decoder.name) not in exact]
        if not encoders:
            continue
        try:
            completer = Completer.load(decoder.folder)
            weights[decoder.name] = weights_fingerprint(decoder)
        except TerselyError as error:
            missing[decoder.name] = f"its model cannot be loaded ({error})"
            continue
        for encoder in encoders:
            on_progress(f"{encoder.label} keywords, {decoder.label} decoder")
            try:
                rows = read_predictions(encoder.folder / "predictions.jsonl")[:count]
            except (OSError, TerselyError) as error:
                missing[encoder.name] = f"its keywords cannot be read ({error})"
                continue
            exact[encoder.name, decoder.name] = decode(completer, rows)
        write_matrix(_matrix(runs, count, exact, weights, missing), keep)
    return _matrix(runs, count, exact, weights, missing)


def decode(completer: Completer, rows: Sequence[PredictionRecord]) -> Bits:
    """Decode keywords greedily; return which sentences come back exactly."""
    exact: list[bool] = []
    for start in range(0, len(rows), BATCH_SENTENCES):
        batch = rows[start : start + BATCH_SENTENCES]
        guesses = completer.greedy_decode([row.keywords for row in batch])
        exact += [
            guess.tokens == tuple(tokenise(row.sentence).tokens)
            for guess, row in zip(guesses, batch, strict=True)
        ]
    return np.array(exact, bool)


def weights_fingerprint(run: Run) -> str:
    """Return a short checksum of a run's weights; empty without weights."""
    for path in (run.folder / "model" / "model.safetensors", run.folder / "model.safetensors"):
        if path.is_file():
            return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return ""


def _matrix(
    runs: Sequence[Run],
    count: int,
    exact: Mapping[Pair, Bits],
    weights: Mapping[str, str],
    missing: Mapping[str, str],
) -> Matrix:
    names = {run.name for run in runs}
    return Matrix(
        sentences=count,
        exact={pair: bits for pair, bits in exact.items() if names.issuperset(pair)},
        weights={name: checksum for name, checksum in weights.items() if name in names},
        keywords={run.name: run.outcomes.keywords_fingerprint for run in runs},
        missing=missing,
    )


def _still_valid(known: Matrix | None, runs: Sequence[Run], count: int) -> Matrix:
    """Return the pairs of a written matrix whose sentences, keywords and weights are unchanged."""
    if known is None or known.sentences != count:
        return EMPTY
    same_keywords = {
        run.name
        for run in runs
        if known.keywords.get(run.name) == run.outcomes.keywords_fingerprint
    }
    same_weights = {
        run.name
        for run in runs
        if run.name in known.weights
        and weights_fingerprint(run) in ("", known.weights[run.name])  # "": small results
    }
    exact = {
        (encoder, decoder): bits
        for (encoder, decoder), bits in known.exact.items()
        if encoder in same_keywords and decoder in same_weights
    }
    weights = {name: checksum for name, checksum in known.weights.items() if name in same_weights}
    return Matrix(count, exact, weights, {}, {})


def write_matrix(matrix: Matrix, path: Path) -> None:
    """Write the matrix as JSON."""
    contents: dict[str, Any] = {
        "sentences": matrix.sentences,
        "weights": dict(matrix.weights),
        "keywords": dict(matrix.keywords),
        "exact": {},
    }
    for (encoder, decoder), bits in matrix.exact.items():
        contents["exact"].setdefault(encoder, {})[decoder] = pack_bits(bits)
    with new_file(path) as partial:
        partial.write_text(json.dumps(contents, indent=1) + "\n", encoding="utf-8")


def read_matrix(path: Path) -> Matrix | None:
    """Read a written matrix; None if it is missing or malformed."""
    try:
        contents = json.loads(path.read_text(encoding="utf-8"))
        count = int(contents["sentences"])
        exact = {
            (encoder, decoder): unpack_bits(bits, count)
            for encoder, row in contents["exact"].items()
            for decoder, bits in row.items()
        }
        return Matrix(count, exact, dict(contents["weights"]), dict(contents["keywords"]), {})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
