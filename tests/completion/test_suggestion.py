from dataclasses import FrozenInstanceError

import pytest

from tersely.completion.suggestion import Keywords, Suggestion


def test_by_default_a_suggestion_is_the_models_and_uncorrected() -> None:
    suggestion = Suggestion("Late.", 0.5, ("<shift>", "late", "."))
    assert (suggestion.source, suggestion.corrected, suggestion.spans) == ("model", (), ())
    corrected = Suggestion("Late.", 0.5, suggestion.tokens, corrected=(("laet", "late"),))
    assert corrected != suggestion
    assert len({suggestion, corrected, Suggestion("Late.", 0.5, suggestion.tokens)}) == 2


def test_a_suggestion_does_not_change_once_it_is_made() -> None:
    suggestion = Suggestion("Late.", 0.5, ("<shift>", "late", "."))
    with pytest.raises(FrozenInstanceError):
        suggestion.score = 1.0  # type: ignore[misc]


def test_keywords_are_the_tokens_that_are_kept() -> None:
    chosen = Keywords(["<shift>", "i", "am", "late"], [False, True, False, True], [0.1] * 4)
    assert chosen.keywords == ["i", "late"]
    assert Keywords([], [], []).keywords == []


def test_a_mask_of_another_length_is_no_mask() -> None:
    with pytest.raises(ValueError, match="shorter"):
        _ = Keywords(["i", "am"], [True], [0.5, 0.5]).keywords
