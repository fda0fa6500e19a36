import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.errors import TerselyError
from tersely.evaluation import tagging
from tersely.evaluation.outcomes import (
    MIN_NAMED_COUNT,
    PredictionRecord,
    as_json,
    as_text,
    count_outcomes,
    from_json,
    pack_bits,
    read_predictions,
    unpack_bits,
)
from tersely.text.tokens import tokenise
from tests.evaluation.predictions import SENTENCES, make_predictions


def test_counts_are_those_of_the_predictions() -> None:
    predictions = make_predictions(0.4, 0.3)
    found = count_outcomes(predictions)
    assert found.typed.tolist() == [len(prediction.keywords) for prediction in predictions]
    assert found.tokens.tolist() == [
        len(tokenise(prediction.sentence).tokens) for prediction in predictions
    ]
    assert found.exact.tolist() == [prediction.exact for prediction in predictions]
    types = found.words["all"].types
    assert types.kept.sum() == found.typed.sum()
    assert types.count.sum() == found.tokens.sum()
    seen = Counter(
        token for prediction in predictions for token in tokenise(prediction.sentence).tokens
    )
    assert types.count.tolist() == [seen[token] for token in sorted(seen)]


def test_only_common_types_are_named() -> None:
    types = count_outcomes(make_predictions(0.4, 0.3)).words["all"].types
    for name, count in zip(types.names, types.count, strict=True):
        assert (name is not None) == (count >= MIN_NAMED_COUNT)
    assert None in types.names
    assert "the" in types.names


def test_words_leave_out_shift_and_punctuation() -> None:
    words = count_outcomes(make_predictions(1.0, 0.3)).words["all"].types.words_only()
    assert not {"<shift>", ".", ","} & set(words.names)
    assert (words.count == words.kept).all()


def test_tags_count_what_was_kept_of_each_part_of_speech() -> None:
    predictions = make_predictions(lambda token: float(token in ("the", "a")), 0.3)
    tags = count_outcomes(predictions).words["all"].tags
    assert tags is not None
    assert tags["determiner"].share > 0.5
    assert tags["noun"].kept == 0
    low, high = tags["determiner"].interval
    assert low <= tags["determiner"].share <= high


def test_without_a_tagger_there_are_no_tags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagging, "find_spec", lambda name: None)
    found = count_outcomes(make_predictions(0.4, 0.3))
    assert found.words["all"].tags is None
    assert from_json(as_json(found)).words["matched"].tags is None


def test_json_restores_everything_and_contains_no_sentence() -> None:
    found = count_outcomes(make_predictions(0.4, 0.3))
    text = as_text(found)
    again = from_json(json.loads(text))
    assert as_text(again) == text
    assert again.typed.tolist() == found.typed.tolist()
    assert again.words["all"].types.names == found.words["all"].types.names
    assert not [sentence for sentence in SENTENCES if len(sentence) > 20 and sentence in text]


def test_long_sentences_survive_too() -> None:
    long = PredictionRecord(" ".join(["word"] * 300), ["word"], False, False, False)
    found = count_outcomes([long, *make_predictions(0.4, 0.3)])
    assert from_json(as_json(found)).tokens.tolist() == found.tokens.tolist()
    assert found.tokens[0] == 300


def test_broken_outcomes_are_refused() -> None:
    found = as_json(count_outcomes(make_predictions(0.4, 0.3)))
    for change in (
        {"format_version": 2},
        {"sentences": 3},
        {"sentences": 0},
        {"exact": "AAAA"},
        {"words": {"all": found["words"]["all"]}},
    ):
        with pytest.raises((ValueError, KeyError)):
            from_json({**found, **change})
    cut = {**found["words"]["all"], "kept": [1, 2]}
    with pytest.raises(ValueError, match="unequal"):
        from_json({**found, "words": {"all": cut, "matched": cut}})


@given(st.lists(st.booleans(), min_size=1))
def test_bits_survive(bits: list[bool]) -> None:
    array = np.array(bits, bool)
    assert unpack_bits(pack_bits(array), len(bits)).tolist() == bits


def test_other_keywords_have_another_fingerprint() -> None:
    first, second = (count_outcomes(make_predictions(share, 0.3)) for share in (0.4, 0.5))
    assert first.fingerprint == second.fingerprint
    assert first.keywords_fingerprint != second.keywords_fingerprint


@pytest.mark.parametrize("text", ["", "{\n", '{"sentence": "x"}\n', "[]\n", "7\n"])
def test_an_invalid_prediction_is_reported_with_its_line(text: str, tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text(text)
    with pytest.raises(TerselyError, match=r"empty|line 1"):
        read_predictions(path)


def test_of_a_repeated_word_the_leftmost_occurrence_counts() -> None:
    sentence = "Love the love here."
    [verb, noun] = [
        tag for tag in tagging.tag(tokenise(sentence).tokens) if tag in ("verb", "noun")
    ]
    assert {verb, noun} == {"verb", "noun"} or verb == noun
    found = count_outcomes([PredictionRecord(sentence, ["love"], True, True, True)]).words["all"]
    assert found.types.kept.sum() == 1
    assert found.tags is not None
    assert sum(tag.kept for tag in found.tags.values()) == 1
