"""Robustness (table 2): every decoder on every encoder's keywords, really decoded.

The keywords are those in each run's predictions, the decoders the runs' models. Which
sentences came back is kept, bit by bit, so that the table can be made again without weights.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

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
from tersely_lab.reproduction.resampling import Interval
from tersely_lab.reproduction.runs import Results, Run

FILE = "matrix.json"
BATCH = 128
KINDS = ("unif", "constrained")

Say = Callable[[str], None]
Cell = tuple[str, str]  # encoder's run and decoder's


@dataclass(frozen=True, slots=True)
class Matrix:
    """Which of the first sentences each pair got back."""

    sentences: int
    exact: Mapping[Cell, Bits]
    weights: Mapping[str, str]  # decoder's run → sum of its weights
    keywords: Mapping[str, str]  # encoder's run → sum of its keywords
    missing: Mapping[str, str]  # run → why it decodes nothing

    def accuracy(self, encoder: str, decoder: str) -> float | None:
        """A cell of the table; None where the pair was not evaluated."""
        bits = self.exact.get((encoder, decoder))
        return None if bits is None else float(bits.mean())

    def interval(self, encoder: str, decoder: str) -> Interval | None:
        """How far the cell could move if the sentences had been others."""
        bits = self.exact.get((encoder, decoder))
        return None if bits is None else difference(bits, np.zeros_like(bits))


def participants(results: Results) -> list[Run]:
    """Unif by rising δ and Constrained by falling ε, as in table 2: from few tokens to many."""
    unif = [one.runs[0] for one in results.settings("unif")]
    constrained = [one.runs[0] for one in reversed(results.settings("constrained"))]
    return [*unif, *constrained]


def evaluate_matrix(
    runs: Sequence[Run], known: Matrix | None, *, sentences: int, keep: Path, say: Say
) -> Matrix:
    """Decode every pair that is not known yet; what is done is kept after each decoder."""
    count = min(sentences, len(runs[0].outcomes)) if runs else 0
    if known is not None and not any(weights_fingerprint(run) for run in runs):
        count = known.sentences  # nothing can be decoded any more: as many as were
    matrix = _still_valid(known, runs, count)
    exact, missing = dict(matrix.exact), dict[str, str]()
    weights = dict(matrix.weights)
    for decoder in runs:
        # A run's own pair has been decoded by its evaluation.
        exact[decoder.name, decoder.name] = decoder.outcomes.exact[:count]
        wanted = [one for one in runs if (one.name, decoder.name) not in exact]
        if not wanted:
            continue
        try:
            completer = Completer.load(decoder.folder)
            weights[decoder.name] = weights_fingerprint(decoder)
        except TerselyError as error:
            missing[decoder.name] = f"its model cannot be loaded ({error})"
            continue
        for encoder in wanted:
            say(f"{encoder.label} keywords, {decoder.label} decoder")
            try:
                rows = read_predictions(encoder.folder / "predictions.jsonl")[:count]
            except (OSError, TerselyError) as error:
                missing[encoder.name] = f"its keywords cannot be read ({error})"
                continue
            exact[encoder.name, decoder.name] = decode(completer, rows)
        write_matrix(_matrix(runs, count, exact, weights, missing), keep)
    return _matrix(runs, count, exact, weights, missing)


def decode(completer: Completer, rows: Sequence[PredictionRecord]) -> Bits:
    """Whether a decoder gets each sentence back from these keywords, greedily."""
    found = []
    for start in range(0, len(rows), BATCH):
        some = rows[start : start + BATCH]
        guesses = completer.guess([one.keywords for one in some])
        found += [
            guess.tokens == tuple(tokenise(one.sentence).tokens)
            for guess, one in zip(guesses, some, strict=True)
        ]
    return np.array(found, bool)


def weights_fingerprint(run: Run) -> str:
    """A short sum of a run's weights; empty where there are none."""
    for path in (run.folder / "model" / "model.safetensors", run.folder / "model.safetensors"):
        if path.is_file():
            return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return ""


def _matrix(
    runs: Sequence[Run],
    count: int,
    exact: Mapping[Cell, Bits],
    weights: Mapping[str, str],
    missing: Mapping[str, str],
) -> Matrix:
    names = {run.name for run in runs}
    return Matrix(
        sentences=count,
        exact={cell: bits for cell, bits in exact.items() if names.issuperset(cell)},
        weights={name: own for name, own in weights.items() if name in names},
        keywords={run.name: run.outcomes.keywords_fingerprint for run in runs},
        missing=missing,
    )


def _still_valid(known: Matrix | None, runs: Sequence[Run], count: int) -> Matrix:
    """What of a kept matrix still holds: the same sentences, keywords and weights."""
    if known is None or known.sentences != count:
        return Matrix(count, {}, {}, {}, {})
    same_keywords = {
        run.name
        for run in runs
        if known.keywords.get(run.name) == run.outcomes.keywords_fingerprint
    }
    same_weights = {
        run.name
        for run in runs
        if run.name in known.weights
        and weights_fingerprint(run) in ("", known.weights[run.name])  # "": kept without them
    }
    exact = {
        (encoder, decoder): bits
        for (encoder, decoder), bits in known.exact.items()
        if encoder in same_keywords and decoder in same_weights
    }
    weights = {name: own for name, own in known.weights.items() if name in same_weights}
    return Matrix(count, exact, weights, {}, {})


def write_matrix(matrix: Matrix, path: Path) -> None:
    """Keep the matrix as JSON."""
    found: dict[str, Any] = {
        "sentences": matrix.sentences,
        "weights": dict(matrix.weights),
        "keywords": dict(matrix.keywords),
        "exact": {},
    }
    for (encoder, decoder), bits in matrix.exact.items():
        found["exact"].setdefault(encoder, {})[decoder] = pack_bits(bits)
    with new_file(path) as partial:
        partial.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def read_matrix(path: Path) -> Matrix | None:
    """Read a kept matrix; None where there is none, or none that can be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        count = int(found["sentences"])
        exact = {
            (encoder, decoder): unpack_bits(bits, count)
            for encoder, row in found["exact"].items()
            for decoder, bits in row.items()
        }
        return Matrix(count, exact, dict(found["weights"]), dict(found["keywords"]), {})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


@dataclass(frozen=True, slots=True)
class Steps:
    """A decoder given more and more tokens by encoders of one kind."""

    decoder: str
    encoders: tuple[str, ...]  # labels, by rising retention
    bits: tuple[Bits, ...]

    @property
    def accuracies(self) -> list[float]:
        """Exact match, by rising retention."""
        return [float(own.mean()) for own in self.bits]

    @property
    def falls(self) -> int:
        """How often more tokens did not help."""
        return sum(after <= before for before, after in pairwise(self.accuracies))

    @property
    def clear_falls(self) -> int:
        """How often they did harm, beyond what other sentences could change."""
        return sum(difference(after, before)[1] < 0 for before, after in pairwise(self.bits))


def given_more_tokens(matrix: Matrix, runs: Sequence[Run]) -> list[Steps]:
    """Each decoder along the encoders of each kind, from few tokens to many."""
    found = []
    for decoder in runs:
        for kind in KINDS:
            rising = sorted(
                (run for run in runs if run.kind == kind),
                key=lambda run: int(run.outcomes.typed.sum()),
            )
            cells = [(one.label, matrix.exact.get((one.name, decoder.name))) for one in rising]
            known = [(label, bits) for label, bits in cells if bits is not None]
            if len(known) > 1:
                labels, bits = zip(*known, strict=True)
                found.append(Steps(decoder.label, labels, bits))
    return found


def difference(first: Bits, second: Bits) -> Interval:
    """Interval of the difference of two accuracies on the same sentences, by drawing these."""
    apart = first.astype(int) - second.astype(int)
    draws = _drawn_means(apart)
    low, high = np.quantile(draws, [0.025, 0.975])
    return float(low), float(high)


def _drawn_means(apart: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Means over draws of the sentences; how many have −1, 0 and 1 is all they depend on."""
    shares = np.array([(apart == value).mean() for value in (-1, 0, 1)])
    counts = np.random.default_rng(1).multinomial(len(apart), shares, size=1000)
    return np.asarray((counts[:, 2] - counts[:, 0]) / len(apart))


def on_others_keywords(matrix: Matrix, decoder: Run, encoders: Sequence[Run]) -> float | None:
    """A decoder's mean accuracy on keywords of other encoders; None if a pair is missing."""
    values = [
        matrix.accuracy(encoder.name, decoder.name)
        for encoder in encoders
        if encoder.name != decoder.name
    ]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None
