import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.service.marking import keyword_spans, token_spans
from tersely.text.tokens import SHIFT, tokenise


def marked(typed: str, text: str, **given_options: object) -> list[str]:
    tokens = tokenise(text).tokens
    spans = keyword_spans(typed, tokens, text, **given_options)
    return [text[start:end] for start, end in spans]


@given(st.text())
def test_every_token_stands_where_it_is_said_to(text: str) -> None:
    tokens = tokenise(text).tokens
    spans = token_spans(tokens, text)
    is_shifted = False
    for token, (start, end) in zip(tokens, spans, strict=True):
        cut = text[start:end]
        if token == SHIFT:
            assert cut == ""
        else:
            assert cut == (token[:1].upper() + token[1:] if is_shifted else token)
        is_shifted = token == SHIFT


def test_spans_go_on_without_overlap() -> None:
    spans = token_spans(tokenise("I'm  late, Anna!").tokens, "I'm  late, Anna!")
    assert spans == sorted(spans)
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))


@pytest.mark.parametrize(
    ("typed", "text", "found"),
    [
        ("10 late", "I will be 10 minutes late.", ["10", "late"]),
        ("i late", "I will be late.", ["I", "late"]),
        ("I late", "I will be late.", ["I", "late"]),
        ("the the", "The soup and the waiter and the table.", ["The", "the"]),
        ("where station?", "Where is the station?", ["Where", "station", "?"]),
        ('"ice cream" friday', "Ice cream on Friday.", ["Ice", "cream", "Friday"]),
        ("late 10", "I will be 10 minutes late.", ["10", "late"]),
        ("soup", "I will be late.", []),
        ("", "I will be late.", []),
    ],
)
def test_keywords_are_marked_as_far_left_as_they_can_stand(
    typed: str, text: str, found: list[str]
) -> None:
    assert marked(typed, text) == found


def test_of_an_unfinished_word_what_was_typed_is_marked() -> None:
    assert marked("10 min la", "10 min later.", prefix=True) == ["10", "min", "la"]
    assert marked("10 min la ", "10 min la.", prefix=True) == ["10", "min", "la"]
    assert marked("10 min la", "10 min later.") == ["10", "min"]


def test_a_corrected_word_is_marked_where_it_was_read() -> None:
    text = "I am ten minutes late."
    assert marked("ten minuts", text, read_as={"minuts": "minutes"}) == ["ten", "minutes"]


@given(st.text(max_size=20), st.text(max_size=40))
def test_marking_never_leaves_the_text(typed: str, text: str) -> None:
    tokens = tokenise(text).tokens
    for start, end in keyword_spans(typed, tokens, text, prefix=True):
        assert 0 <= start < end <= len(text)
