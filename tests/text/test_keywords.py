import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tersely.errors import UsageError
from tersely.text.keywords import (
    Stopword,
    Unif,
    is_punctuation,
    keywords,
    leftmost_alignment,
    leftmost_mask,
    stop_words,
)
from tersely.text.tokens import tokenise

TOKENS = st.lists(st.sampled_from(["<shift>", "a", "b", "c", "the", "."]), max_size=16)


@st.composite
def sentences_with_masks(draw: st.DrawFn) -> tuple[list[str], list[bool]]:
    tokens = draw(TOKENS)
    return tokens, draw(st.lists(st.booleans(), min_size=len(tokens), max_size=len(tokens)))


@pytest.mark.promise(7)
@given(sentences_with_masks())
@settings(max_examples=10_000)
def test_keywords_are_a_subsequence_of_the_sentence(pair: tuple[list[str], list[bool]]) -> None:
    tokens, keep = pair
    rest = iter(tokens)
    assert all(word in rest for word in keywords(tokens, keep))


@given(sentences_with_masks())
@settings(max_examples=2000)
def test_no_alignment_stands_further_left(pair: tuple[list[str], list[bool]]) -> None:
    tokens, keep = pair
    words = keywords(tokens, keep)
    aligned = leftmost_alignment(words, tokens)
    assert aligned is not None
    assert [tokens[place] for place in aligned] == words
    chosen = [place for place, kept in enumerate(keep) if kept]
    assert all(left <= place for left, place in zip(aligned, chosen, strict=True))
    assert aligned == sorted(set(aligned))


@given(sentences_with_masks())
def test_the_leftmost_mask_keeps_the_same_keywords(pair: tuple[list[str], list[bool]]) -> None:
    tokens, keep = pair
    moved = leftmost_mask(tokens, keep)
    assert keywords(tokens, moved) == keywords(tokens, keep)
    assert leftmost_mask(tokens, moved) == moved


@given(TOKENS, TOKENS)
def test_alignment_is_found_exactly_when_there_is_one(words: list[str], tokens: list[str]) -> None:
    rest = iter(tokens)
    assert (leftmost_alignment(words, tokens) is not None) == all(word in rest for word in words)


def test_a_mask_must_fit_its_sentence() -> None:
    with pytest.raises(ValueError, match="longer"):
        keywords(["a"], [True, False])


@pytest.mark.parametrize("delta", [0.0, 0.1, 0.5, 1.0])
def test_unif_keeps_the_share_it_is_told(delta: float) -> None:
    kept = Unif(delta).mask(["a"] * 20_000, random.Random(1))
    assert sum(kept) / len(kept) == pytest.approx(delta, abs=0.01)


def test_stopword_drops_function_words_and_keeps_marks() -> None:
    tokens = tokenise("She's not the one who can't wait for you.").tokens
    kept = keywords(tokens, Stopword(0.0).mask(tokens, random.Random(1)))
    assert kept == ["<shift>", "one", "wait", "."]


def test_stopword_drops_marks_where_told() -> None:
    tokens = tokenise("The food was great!").tokens
    encoder = Stopword(0.0, drop_shift=True, drop_punctuation=True)
    assert keywords(tokens, encoder.mask(tokens, random.Random(1))) == ["food", "great"]


def test_stopword_half_the_time_keeps_half_of_them() -> None:
    kept = Stopword(0.5).mask(["the"] * 20_000, random.Random(1))
    assert sum(kept) / len(kept) == pytest.approx(0.5, abs=0.01)


def test_the_list_has_not_and_the_endings() -> None:
    assert {"not", "the", "n't", "'s", "ca"} <= stop_words()
    assert 120 < len(stop_words()) < 180


@pytest.mark.parametrize("delta", [-0.1, 1.1, float("nan")])
def test_a_share_is_between_0_and_1(delta: float) -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        Unif(delta)
    with pytest.raises(UsageError, match="between 0 and 1"):
        Stopword(delta)


def test_punctuation_has_no_letter_or_digit() -> None:
    assert [is_punctuation(token) for token in ("!!!", "n't", "<shift>", "10", "…")] == [
        True, False, False, False, True,
    ]  # fmt: skip
