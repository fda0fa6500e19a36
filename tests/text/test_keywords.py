import hashlib
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


def test_a_mask_must_fit_its_sentence() -> None:
    with pytest.raises(ValueError, match="longer"):
        keywords(["a"], [True, False])


@pytest.mark.parametrize("delta", [0.0, 0.1, 0.5, 1.0])
def test_unif_keeps_tokens_with_probability_delta(delta: float) -> None:
    kept = Unif(delta).mask(["a"] * 20_000, random.Random(1))
    assert sum(kept) / len(kept) == pytest.approx(delta, abs=0.01)


def test_stopword_drops_function_words_and_keeps_punctuation() -> None:
    tokens = tokenise("She's not the one who can't wait for you.").tokens
    kept = keywords(tokens, Stopword(0.0).mask(tokens, random.Random(1)))
    assert kept == ["<shift>", "one", "wait", "."]


def test_stopword_drops_shift_and_punctuation_if_set() -> None:
    tokens = tokenise("The food was great!").tokens
    encoder = Stopword(0.0, drop_shift=True, drop_punctuation=True)
    assert keywords(tokens, encoder.mask(tokens, random.Random(1))) == ["food", "great"]


def test_stopword_keeps_half_of_the_stop_words_at_delta_one_half() -> None:
    kept = Stopword(0.5).mask(["the"] * 20_000, random.Random(1))
    assert sum(kept) / len(kept) == pytest.approx(0.5, abs=0.01)


def test_the_stop_words_are_those_of_the_original_list() -> None:
    words = stop_words()
    assert {"not", "the", "n't", "'s", "ca"} <= words
    assert len(words) == 136
    digest = hashlib.sha256("\n".join(sorted(words)).encode()).hexdigest()
    assert digest == "3e6558df9833a1d22b92687680b51036f242ff85f61b12166464aa408c8fab9d"


@pytest.mark.parametrize("delta", [-0.1, 1.1, float("nan")])
def test_delta_must_be_between_0_and_1(delta: float) -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        Unif(delta)
    with pytest.raises(UsageError, match="between 0 and 1"):
        Stopword(delta)


def test_punctuation_has_no_letter_or_digit() -> None:
    assert [is_punctuation(token) for token in ("!!!", "n't", "<shift>", "10", "…")] == [
        True, False, False, False, True,
    ]  # fmt: skip
