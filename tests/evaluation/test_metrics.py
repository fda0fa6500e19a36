from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tersely.completion.completer import Completer, Suggestion
from tersely.corpus.fixture import fixture_sentences
from tersely.decoding.beam import BeamOptions
from tersely.decoding.scoring import total_nll
from tersely.evaluation.metrics import (
    Prediction,
    length_matched,
    matched_length,
    predict,
    summarise,
    summarise_seeds,
)
from tersely.text.tokens import detokenise, tokenise

SENTENCES = list(fixture_sentences(90))  # more than one batch


@pytest.fixture(scope="module")
def completer(trained: Path) -> Completer:
    return Completer.load(trained)


@pytest.fixture(scope="module")
def predictions(completer: Completer) -> list[Prediction]:
    return predict(completer, SENTENCES, budget=0.4)


class Parrot(Completer):
    """Repeats the keywords, as a guess and at one place among the suggestions."""

    place = 0

    def greedy_decode(
        self, rows: Sequence[Sequence[str]], budget: float | None = None
    ) -> list[Suggestion]:
        return [self._say(row) for row in rows]

    def beam_decode(
        self, rows: Sequence[Sequence[str]], beam: BeamOptions, budget: float | None = None
    ) -> list[list[Suggestion]]:
        others = [self._say(["no"])] * self.place
        return [[*others, self._say(row)] for row in rows]

    def _say(self, row: Sequence[str]) -> Suggestion:
        return Suggestion(detokenise(row), 1.0, tuple(row))


def make_prediction(tokens: int, typed: int, **changes: Any) -> Prediction:
    words = ["word"] * tokens
    whole = Prediction(
        sentence=" ".join(words),
        tokens=tokens,
        keywords=words[:typed],
        greedy="",
        suggestions=[],
        nll=0.0,
        typed_characters=len(" ".join(words[:typed])),
        exact=False,
        served=False,
        in_top3=False,
    )
    return replace(whole, **changes)


def test_a_prediction_holds_what_the_model_did(
    completer: Completer, predictions: list[Prediction]
) -> None:
    kept = [prediction for prediction in SENTENCES if len(tokenise(prediction).tokens) <= 16]
    assert [prediction.sentence for prediction in predictions] == kept
    for prediction in predictions[::17]:
        tokens = tokenise(prediction.sentence).tokens
        assert prediction.tokens == len(tokens)
        assert prediction.keywords == completer.keywords(prediction.sentence, 0.4).keywords
        assert prediction.typed_characters == len(detokenise(prediction.keywords))
        assert prediction.greedy == completer.greedy_decode([prediction.keywords])[0].text
        assert len(prediction.suggestions) == 3
        loss = total_nll(completer.runtime, [prediction.keywords], [tokens])[0]
        assert prediction.nll == pytest.approx(loss, abs=1e-3)
        assert prediction.as_dict()["keywords"] == prediction.keywords


def test_a_sentence_counts_as_recovered_at_its_rank(completer: Completer) -> None:
    parrot = Parrot(completer.model)
    for place, (served, top3) in enumerate([(1, 1), (0, 1), (0, 1), (0, 0)]):
        parrot.place = place
        found = summarise(predict(parrot, SENTENCES, budget=1.0), intervals=False)
        assert found["typed_fraction"] == found["exact_match"] == 1.0
        assert (found["exact_match_served"], found["top3"]) == (served, top3)
    fewer = predict(parrot, SENTENCES, budget=0.4)
    for prediction in fewer:
        assert prediction.exact == (prediction.keywords == tokenise(prediction.sentence).tokens)


def test_every_metric_can_be_recomputed_from_the_predictions(predictions: list[Prediction]) -> None:
    found = summarise(predictions)
    count = len(predictions)
    tokens = sum(len(tokenise(prediction.sentence).tokens) for prediction in predictions)
    kept = sum(len(prediction.keywords) for prediction in predictions)
    expected = {
        "tokens_a_sentence": tokens / count,
        "typed_fraction": kept / tokens,
        "kept_with_eos": (kept + count) / (tokens + count),
        "typed_characters": sum(len(detokenise(prediction.keywords)) for prediction in predictions)
        / sum(len(prediction.sentence) for prediction in predictions),
        "exact_match": sum(prediction.exact for prediction in predictions) / count,
        "exact_match_served": sum(prediction.served for prediction in predictions) / count,
        "top3": sum(prediction.in_top3 for prediction in predictions) / count,
        "nll_per_token": sum(prediction.nll for prediction in predictions) / (tokens + count),
    }
    assert found["sentences"] == count
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    for name, (low, high) in found["intervals"].items():
        assert low <= expected[name] <= high
    assert set(found) == {*expected, "sentences", "intervals"}


def test_fractions_are_pooled_over_tokens_not_averaged_over_sentences() -> None:
    found = summarise([make_prediction(1, 1), make_prediction(9, 0)], intervals=False)
    assert found["typed_fraction"] == 0.1
    assert found["kept_with_eos"] == 3 / 12
    assert (
        summarise([make_prediction(3, 1, nll=2.0), make_prediction(1, 1, nll=1.0)])["nll_per_token"]
        == 0.5
    )
    found = summarise(
        [make_prediction(2, 1, exact=True, served=True, in_top3=True), make_prediction(8, 1)]
    )
    assert found["exact_match"] == found["exact_match_served"] == found["top3"] == 0.5


def test_seeds_are_averaged_sentence_by_sentence(predictions: list[Prediction]) -> None:
    flipped = [
        replace(prediction, exact=not prediction.exact, keywords=["a"])
        for prediction in predictions
    ]
    found = summarise_seeds([predictions, flipped])
    assert found["exact_match"] == pytest.approx(0.5)
    assert found["intervals"]["exact_match"] == (0.5, 0.5)  # each sentence is right in one of two
    each = [summarise(prediction, intervals=False) for prediction in (predictions, flipped)]
    for name, values in found["seeds"].items():
        assert values == [prediction[name] for prediction in each]
    assert found["typed_fraction"] == pytest.approx(np.mean(found["seeds"]["typed_fraction"]))
    assert summarise_seeds([predictions])["intervals"] == summarise(predictions)["intervals"]


def test_without_predictions_there_are_no_metrics() -> None:
    assert summarise([]) == {"sentences": 0}


def test_lengths_are_matched_to_the_papers_mean() -> None:
    rows = [make_prediction(length, 0) for length in (2, 5, 7, 9, 12, 15, 16)]
    limit, short = length_matched(rows)  # means: 2, 3.5, 4.67, 5.75, 7.0, 8.33, 9.43
    assert limit == 12
    assert sorted(prediction.tokens for prediction in short) == [2, 5, 7, 9, 12]


def test_lengths_alone_are_enough_to_match_them() -> None:
    assert matched_length([2, 5, 7, 9, 12, 15, 16]) == 12
    assert matched_length([16, 16]) == 16


def test_short_sentences_are_all_matched() -> None:
    limit, short = length_matched([make_prediction(3, 0), make_prediction(4, 0)])
    assert (limit, len(short)) == (4, 2)


def test_long_sentences_are_left_out_and_counted_as_progress(completer: Completer) -> None:
    progress: list[int] = []
    found = predict(
        completer, [*SENTENCES, "  "], budget=None, max_tokens=6, progress=progress.append
    )
    assert all(prediction.tokens <= 6 for prediction in found)
    assert 0 < len(found) < len(SENTENCES)
    assert sum(progress) == len(SENTENCES) + 1  # those left out too
