"""Evaluate: a model on held-out sentences, by its own keywords or at a budget.

Fractions are pooled over all tokens. `exact_match` is greedy and without constraint, as
in the paper; `exact_match_served` and `top3` are what a user sees: a beam, and every
keyword guaranteed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.completion.completer import Completer
from tersely.decoding.beam import Beam
from tersely.decoding.scoring import total_nll
from tersely.evaluation.intervals import bootstrap
from tersely.text.keywords import keywords
from tersely.text.tokens import detokenise, tokenise

BATCH = 64
PAPER_MEAN_TOKENS = 7.0

Progress = Callable[[int], None]
Choose = Callable[[list[list[str]]], list[list[bool]]]
"""Sentences as tokens → masks: someone else's keywords instead of the model's own."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """What became of one sentence."""

    sentence: str
    tokens: int
    keywords: list[str]
    greedy: str
    suggestions: list[str]
    nll: float
    typed_characters: int
    exact: bool
    served: bool
    in_top3: bool

    def as_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return asdict(self)


def predict(
    completer: Completer,
    sentences: Sequence[str],
    *,
    budget: float | None = None,
    choose: Choose | None = None,
    max_tokens: int = 16,
    progress: Progress = lambda count: None,
) -> list[Prediction]:
    """Choose keywords for each sentence short enough, and complete them again.

    The model chooses, at the budget, unless `choose` is given.
    """
    chosen_by = choose or (lambda tokens: completer.selector.masks(tokens, budget))
    tokenised = [(text, tokenise(text).tokens) for text in sentences]
    rows = [row for row in tokenised if 0 < len(row[1]) <= max_tokens]
    progress(len(sentences) - len(rows))
    predictions: list[Prediction] = []
    for start in range(0, len(rows), BATCH):
        predictions.extend(
            _predict_batch(completer, rows[start : start + BATCH], chosen_by, budget)
        )
        progress(min(BATCH, len(rows) - start))
    return predictions


def _predict_batch(
    completer: Completer,
    rows: Sequence[tuple[str, list[str]]],
    choose: Choose,
    budget: float | None,
) -> Iterator[Prediction]:
    tokens = [row[1] for row in rows]
    masks = choose(tokens)
    typed = [keywords(own, mask) for own, mask in zip(tokens, masks, strict=True)]
    guesses = completer.guess(typed, budget)
    served = completer.suggest(typed, Beam(), budget)
    told = completer.selector.decoder_budget(budget)
    losses = total_nll(completer.runtime, typed, tokens, budget=told)
    for index, (text, own) in enumerate(rows):
        target = tuple(own)
        yield Prediction(
            sentence=text,
            tokens=len(own),
            keywords=typed[index],
            greedy=guesses[index].text,
            suggestions=[one.text for one in served[index]],
            nll=float(losses[index]),
            typed_characters=len(detokenise(typed[index])),
            exact=guesses[index].tokens == target,
            served=any(one.tokens == target for one in served[index][:1]),
            in_top3=any(one.tokens == target for one in served[index][:3]),
        )


FIGURES: dict[str, tuple[int, int]] = {
    # figure: (column above the line, column below it), of the table in `_table`
    "typed_fraction": (0, 1),
    "kept_with_eos": (2, 3),
    "typed_characters": (4, 5),
    "exact_match": (6, 10),
    "exact_match_served": (7, 10),
    "top3": (8, 10),
    "nll_per_token": (9, 3),
}


def summarise(predictions: Sequence[Prediction], *, intervals: bool = True) -> dict[str, Any]:
    """Figures over some predictions, with bootstrap intervals over sentences."""
    if not predictions:
        return {"sentences": 0}
    return _summary(_table(predictions), intervals=intervals)


def summarise_seeds(seeds: Sequence[Sequence[Prediction]]) -> dict[str, Any]:
    """Figures in the mean over seeds, each of which predicted the same sentences.

    Intervals are over sentences; under `seeds` stand each seed's own figures.
    """
    tables = [_table(predictions) for predictions in seeds]
    each = [_summary(table, intervals=False) for table in tables]
    mean = _summary(np.mean(tables, axis=0), intervals=True)
    return {**mean, "seeds": {name: [one[name] for one in each] for name in FIGURES}}


def _summary(table: npt.NDArray[np.float64], *, intervals: bool) -> dict[str, Any]:
    sums = table.sum(axis=0)
    summary: dict[str, Any] = {
        "sentences": len(table),
        "tokens_a_sentence": float(sums[1] / len(table)),
    }
    for name, (above, below) in FIGURES.items():
        summary[name] = float(sums[above] / sums[below])
    if intervals:
        summary["intervals"] = {
            name: bootstrap(table, above=above, below=below)
            for name, (above, below) in FIGURES.items()
        }
    return summary


def length_matched(predictions: Sequence[Prediction]) -> tuple[int, list[Prediction]]:
    """The sentences up to the length at which they average what the paper's do."""
    best = matched_length([prediction.tokens for prediction in predictions])
    return best, [prediction for prediction in predictions if prediction.tokens <= best]


def matched_length(lengths: Sequence[int]) -> int:
    """The length up to which sentences of these lengths average what the paper's do."""
    return min(
        sorted(set(lengths)),
        key=lambda limit: abs(_mean_up_to(lengths, limit) - PAPER_MEAN_TOKENS),
    )


def _mean_up_to(lengths: Sequence[int], limit: int) -> float:
    short = [length for length in lengths if length <= limit]
    return sum(short) / len(short)


def _table(predictions: Sequence[Prediction]) -> npt.NDArray[np.float64]:
    return np.array(
        [
            (
                len(one.keywords),
                one.tokens,
                len(one.keywords) + 1,
                one.tokens + 1,
                one.typed_characters,
                len(one.sentence),
                one.exact,
                one.served,
                one.in_top3,
                one.nll,
                1,
            )
            for one in predictions
        ],
        np.float64,
    )
