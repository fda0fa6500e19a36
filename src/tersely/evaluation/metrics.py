"""Metrics of a model on held-out sentences, with its own keywords or at a budget.

Fractions are pooled over all tokens. `exact_match` decodes greedily and without constraints, as in
the paper; `exact_match_served` and `top3` are what a user sees: beam search, with every keyword
guaranteed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.completion.completer import Completer
from tersely.decoding.beam import BeamOptions
from tersely.decoding.scoring import total_nll
from tersely.evaluation.intervals import bootstrap_interval
from tersely.text.keywords import keywords
from tersely.text.tokens import detokenise, tokenise

BATCH = 64
PAPER_MEAN_TOKENS = 7.0

Progress = Callable[[int], None]
MaskSelector = Callable[[list[list[str]]], list[list[bool]]]
"""Maps sentences as tokens to masks; replaces the model's own selection of keywords."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """The keywords of one sentence, and what they were completed to."""

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
        """Return the fields as predictions.jsonl stores them."""
        return asdict(self)


def predict(
    completer: Completer,
    sentences: Sequence[str],
    *,
    budget: float | None = None,
    choose: MaskSelector | None = None,
    max_tokens: int = 16,
    progress: Progress = lambda count: None,
) -> list[Prediction]:
    """Select keywords of each sentence of at most `max_tokens` tokens, and complete them.

    The model selects them, at the budget, unless `choose` is given.
    """
    select = choose or (lambda tokens: completer.selector.masks(tokens, budget))
    tokenised = [(text, tokenise(text).tokens) for text in sentences]
    rows = [row for row in tokenised if 0 < len(row[1]) <= max_tokens]
    progress(len(sentences) - len(rows))
    predictions: list[Prediction] = []
    for start in range(0, len(rows), BATCH):
        predictions.extend(_predict_batch(completer, rows[start : start + BATCH], select, budget))
        progress(min(BATCH, len(rows) - start))
    return predictions


def _predict_batch(
    completer: Completer,
    rows: Sequence[tuple[str, list[str]]],
    select: MaskSelector,
    budget: float | None,
) -> Iterator[Prediction]:
    tokenised = [tokens for _, tokens in rows]
    masks = select(tokenised)
    typed = [keywords(tokens, mask) for tokens, mask in zip(tokenised, masks, strict=True)]
    greedy_suggestions = completer.greedy_decode(typed, budget)
    served = completer.beam_decode(typed, BeamOptions(), budget)
    decoder_budget = completer.selector.decoder_budget(budget)
    losses = total_nll(completer.runtime, typed, tokenised, budget=decoder_budget)
    for index, (text, tokens) in enumerate(rows):
        target = tuple(tokens)
        served_tokens = [suggestion.tokens for suggestion in served[index]]
        yield Prediction(
            sentence=text,
            tokens=len(tokens),
            keywords=typed[index],
            greedy=greedy_suggestions[index].text,
            suggestions=[suggestion.text for suggestion in served[index]],
            nll=float(losses[index]),
            typed_characters=len(detokenise(typed[index])),
            exact=greedy_suggestions[index].tokens == target,
            served=target in served_tokens[:1],
            in_top3=target in served_tokens[:3],
        )


METRICS: dict[str, tuple[int, int]] = {
    # metric: (numerator, denominator), columns of `_table`
    "typed_fraction": (0, 1),
    "kept_with_eos": (2, 3),
    "typed_characters": (4, 5),
    "exact_match": (6, 10),
    "exact_match_served": (7, 10),
    "top3": (8, 10),
    "nll_per_token": (9, 3),
}


def summarise(predictions: Sequence[Prediction], *, intervals: bool = True) -> dict[str, Any]:
    """Return the metrics of predictions, with bootstrap intervals over sentences."""
    if not predictions:
        return {"sentences": 0}
    return _summary(_table(predictions), intervals=intervals)


def summarise_seeds(seeds: Sequence[Sequence[Prediction]]) -> dict[str, Any]:
    """Return the mean metrics over seeds, each of which predicted the same sentences.

    Intervals are over sentences; `seeds` holds the metrics of each seed.
    """
    tables = [_table(predictions) for predictions in seeds]
    summaries = [_summary(table, intervals=False) for table in tables]
    mean = _summary(np.mean(tables, axis=0), intervals=True)
    return {**mean, "seeds": {name: [summary[name] for summary in summaries] for name in METRICS}}


def _summary(table: npt.NDArray[np.float64], *, intervals: bool) -> dict[str, Any]:
    sums = table.sum(axis=0)
    summary: dict[str, Any] = {
        "sentences": len(table),
        "tokens_a_sentence": float(sums[1] / len(table)),
    }
    for name, (above, below) in METRICS.items():
        summary[name] = float(sums[above] / sums[below])
    if intervals:
        summary["intervals"] = {
            name: bootstrap_interval(table, above=above, below=below)
            for name, (above, below) in METRICS.items()
        }
    return summary


def length_matched(predictions: Sequence[Prediction]) -> tuple[int, list[Prediction]]:
    """Return the length up to which the sentences average the paper's, and those sentences."""
    limit = matched_length([prediction.tokens for prediction in predictions])
    return limit, [prediction for prediction in predictions if prediction.tokens <= limit]


def matched_length(lengths: Sequence[int]) -> int:
    """Return the maximum length at which the mean length is nearest to the paper's."""
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
                len(prediction.keywords),
                prediction.tokens,
                len(prediction.keywords) + 1,
                prediction.tokens + 1,
                prediction.typed_characters,
                len(prediction.sentence),
                prediction.exact,
                prediction.served,
                prediction.in_top3,
                prediction.nll,
                1,
            )
            for prediction in predictions
        ],
        np.float64,
    )
