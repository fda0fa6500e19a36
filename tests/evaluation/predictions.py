"""Predictions made up for tests: real sentences, with retention and exact match as requested."""

import random
from collections.abc import Callable, Sequence

from tersely.corpus.fixture import fixture_sentences
from tersely.evaluation.outcomes import PredictionRecord
from tersely.text.keywords import keywords
from tersely.text.tokens import tokenise

SENTENCES = [text for text in fixture_sentences(260) if len(tokenise(text).tokens) <= 16][:200]

Keep = Callable[[str], float]
"""Maps a token to the probability that it is kept."""


def make_predictions(
    keep: float | Keep, exact: float, *, seed: int = 1, sentences: Sequence[str] = SENTENCES
) -> list[PredictionRecord]:
    """Return predictions that keep tokens with this probability and recover this share."""
    rng = random.Random(seed)
    recovered = set(rng.sample(range(len(sentences)), round(exact * len(sentences))))
    records = []
    for index, text in enumerate(sentences):
        tokens = tokenise(text).tokens
        mask = [rng.random() < (keep(token) if callable(keep) else keep) for token in tokens]
        is_exact = index in recovered
        records.append(PredictionRecord(text, keywords(tokens, mask), is_exact, is_exact, is_exact))
    return records
