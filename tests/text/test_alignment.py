import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tersely.text.alignment import (
    Phrase,
    align,
    contains_phrase,
    find_phrases,
    keyword_spans,
    split_at_spans,
    token_spans,
)
from tersely.text.keywords import keywords
from tersely.text.tokens import SHIFT, tokenise

TOKENS = st.lists(st.sampled_from(["<shift>", "a", "b", "c", "the", "."]), max_size=16)
SENTENCE = "Tom ate ice cream in New York. Was it cold?"


def tokens_of(text: str) -> tuple[str, ...]:
    return tuple(tokenise(text).tokens)


def phrases_of(*texts: str) -> list[Phrase]:
    """One phrase per text."""
    return [tokens_of(text) for text in texts]


@st.composite
def sentences_with_masks(draw: st.DrawFn) -> tuple[list[str], list[bool]]:
    tokens = draw(TOKENS)
    return tokens, draw(st.lists(st.booleans(), min_size=len(tokens), max_size=len(tokens)))


@given(sentences_with_masks())
@settings(max_examples=2000)
def test_no_alignment_stands_further_left(pair: tuple[list[str], list[bool]]) -> None:
    tokens, keep = pair
    words = keywords(tokens, keep)
    aligned = align(words, tokens)
    assert aligned is not None
    assert [tokens[index] for index in aligned] == words
    chosen = [index for index, is_kept in enumerate(keep) if is_kept]
    assert all(left <= index for left, index in zip(aligned, chosen, strict=True))
    assert aligned == sorted(set(aligned))


@given(TOKENS, TOKENS)
def test_an_alignment_is_found_exactly_when_there_is_one(
    words: list[str], tokens: list[str]
) -> None:
    rest = iter(tokens)
    assert (align(words, tokens) is not None) == all(word in rest for word in words)


def test_ids_can_be_aligned_like_words() -> None:
    assert align([5, 7], [5, 6, 5, 7]) == [0, 3]
    assert align([7, 6], [5, 6, 5, 7]) is None


@given(TOKENS, TOKENS)
def test_single_lower_case_words_are_found_where_they_are_aligned(
    words: list[str], tokens: list[str]
) -> None:
    indices = align(words, tokens)
    spans = find_phrases([(word,) for word in words], tokens)
    expected = None if indices is None else [(index, index + 1) for index in indices]
    assert spans == expected


@pytest.mark.parametrize(
    ("phrases", "at_end", "in_order", "in_any_order"),
    [
        ([], False, True, True),
        (["ice", "cold"], False, True, True),
        (["cold", "ice"], False, False, True),
        (["tom", "york"], False, True, True),
        (["TOM"], False, False, False),
        (["Tom"], False, True, True),
        (["Ate"], False, False, False),
        (["ice cream"], False, True, True),
        (["cream ice"], False, False, False),
        (["ice cold"], False, False, False),
        (["new york"], False, True, True),
        (["New York"], False, True, True),
        (["New york"], False, True, True),
        (["york", "ice cream"], False, False, True),
        (["ice cream", "york"], False, True, True),
        (["cold", "?"], True, True, True),
        (["york", "."], True, False, False),
        (["?", "ice"], False, False, True),
        (["ice", "ice"], False, False, True),
        (["zyzzyva"], False, False, False),
    ],
)
def test_phrases_are_found_as_they_were_typed(
    phrases: list[str], at_end: bool, in_order: bool, in_any_order: bool
) -> None:
    tokens, typed = tokens_of(SENTENCE), phrases_of(*phrases)
    assert (find_phrases(typed, tokens, at_end=at_end) is not None) == in_order
    found = find_phrases(typed, tokens, at_end=at_end, in_order=False)
    assert (found is not None) == in_any_order


@pytest.mark.parametrize(
    ("phrases", "in_order", "in_any_order"),
    [
        (["ice", "co"], True, True),
        (["cold", "ic"], False, True),
        (["ice cr"], True, True),
        (["tom cr"], False, False),
        (["To"], True, True),
        (["ic", "co"], False, False),
        (["zy"], False, False),
    ],
)
def test_the_last_word_may_be_a_prefix(
    phrases: list[str], in_order: bool, in_any_order: bool
) -> None:
    tokens, typed = tokens_of(SENTENCE), phrases_of(*phrases)
    assert (find_phrases(typed, tokens, prefix=True) is not None) == in_order
    found = find_phrases(typed, tokens, prefix=True, in_order=False)
    assert (found is not None) == in_any_order


def test_a_later_occurrence_is_found_where_the_first_does_not_fit() -> None:
    twice = tokens_of("Is it late? No, but it is late")
    assert find_phrases(phrases_of("it is", "late"), twice) is not None
    assert find_phrases(phrases_of("a c"), tokens_of("a b a c")) == [(2, 4)]
    late = tokens_of("Late? Late? Late?")
    assert find_phrases(phrases_of("late", "?"), late, at_end=True) == [(1, 2), (8, 9)]


def test_case_matters_only_for_words_typed_with_a_capital() -> None:
    for text, word, is_there in (
        ("the NATO summit", "nato", True),
        ("the NATO summit", "NATO", True),
        ("the nato summit", "NATO", False),
        ("the NATO summit", "Nato", False),
    ):
        assert contains_phrase(tokens_of(text), tokens_of(word)) == is_there


def test_a_phrase_is_contained_only_with_all_its_words() -> None:
    assert contains_phrase(tokens_of(SENTENCE), ("ice", "cream"))
    assert contains_phrase(tokens_of(SENTENCE), ("new", "york"))
    assert not contains_phrase(tokens_of(SENTENCE), ("ice", "cold"))
    assert not contains_phrase((), ("ice",))
    assert not contains_phrase(("ice",), ("ice", "cream"))


def test_in_free_order_a_word_typed_twice_need_not_stand_twice() -> None:
    late = tokens_of("I will be late.")
    assert find_phrases([("late",), ("late",)], late) is None
    assert find_phrases([("late",), ("late",)], late, in_order=False) == [(4, 5), (4, 5)]


@given(st.text())
def test_every_token_stands_at_its_span(text: str) -> None:
    tokens = tokenise(text).tokens
    spans = token_spans(tokens, text)
    is_shifted = False
    for token, (start, end) in zip(tokens, spans, strict=True):
        part = text[start:end]
        if token == SHIFT:
            assert part == ""
        else:
            assert part == (token[:1].upper() + token[1:] if is_shifted else token)
        is_shifted = token == SHIFT


def test_token_spans_rise_without_overlap() -> None:
    spans = token_spans(tokenise("I'm  late, Anna!").tokens, "I'm  late, Anna!")
    assert spans == sorted(spans)
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))


def highlighted(
    phrases: list[str], text: str, *, prefix: bool = False, at_end: bool = False
) -> list[str]:
    spans = keyword_spans(phrases_of(*phrases), tokens_of(text), text, prefix=prefix, at_end=at_end)
    return [text[start:end] for start, end in spans]


@pytest.mark.parametrize(
    ("phrases", "text", "found"),
    [
        (["10", "late"], "I will be 10 minutes late.", ["10", "late"]),
        (["i", "late"], "I will be late.", ["I", "late"]),
        (["I", "late"], "I will be late.", ["I", "late"]),
        (["the", "the"], "The soup and the waiter and the table.", ["The", "the"]),
        (["ice cream", "friday"], "Ice cream on Friday.", ["Ice", "cream", "Friday"]),
        (["late", "10"], "I will be 10 minutes late.", ["10", "late"]),
        (["late", "."], "I will be 10 minutes late.", ["late", "."]),
        (["10 minutes", "late"], "I will be 10 minutes late.", ["10", "minutes", "late"]),
        (["soup"], "I will be late.", []),
        (["inutes"], "I will be 10 minutes late.", []),
        (["late", "late"], "I will be late.", ["late"]),
        (["("], "I will be late.", []),
        ([], "I will be late.", []),
    ],
)
def test_keywords_are_highlighted_as_far_left_as_they_can_stand(
    phrases: list[str], text: str, found: list[str]
) -> None:
    assert highlighted(phrases, text) == found


def test_a_phrase_is_highlighted_where_its_words_stand_together() -> None:
    text = "Ice is cold, ice cream is not."
    assert keyword_spans(phrases_of("ice cream"), tokens_of(text), text) == [(13, 16), (17, 22)]


def test_a_sentence_ending_is_highlighted_at_the_end() -> None:
    text = "Late? Is it late?"
    spans = keyword_spans(phrases_of("late", "?"), tokens_of(text), text, at_end=True)
    assert spans == [(0, 4), (16, 17)]
    assert highlighted(["where", "station", "?"], "Where is the station?", at_end=True) == [
        "Where",
        "station",
        "?",
    ]


def test_of_an_unfinished_word_the_typed_part_is_highlighted() -> None:
    assert highlighted(["10", "min", "la"], "10 min later.", prefix=True) == ["10", "min", "la"]
    assert highlighted(["10", "min", "la"], "10 min la.") == ["10", "min", "la"]
    assert highlighted(["10", "min", "la"], "10 min later.") == ["10", "min"]


@given(TOKENS, st.text(max_size=40), st.booleans(), st.booleans())
def test_spans_rise_within_the_text(
    words: list[str], text: str, prefix: bool, at_end: bool
) -> None:
    phrases = [(word,) for word in words] + phrases_of(text[:5])
    spans = keyword_spans(phrases, tokens_of(text), text, prefix=prefix, at_end=at_end)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))


@given(st.text(max_size=40))
def test_splitting_at_spans_loses_nothing(text: str) -> None:
    tokens = tokens_of(text)
    spans = keyword_spans([(token,) for token in tokens[::2]], tokens, text)
    parts = split_at_spans(text, spans)
    assert "".join(part for part, _ in parts) == text
    assert all(part for part, _ in parts)
    assert [part for part, is_inside in parts if is_inside] == [text[a:b] for a, b in spans]
