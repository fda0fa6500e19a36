import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tersely.completion.context import MOST_CHARACTERS, MOST_TOKENS, read_context
from tersely.text.tokens import detokenise, tokenise


@pytest.mark.parametrize(
    ("text", "opening"),
    [
        ("I am sorry, but", "<shift> i am sorry , but"),
        ("I am sorry, but ", "<shift> i am sorry , but"),
        ("Thank you. I am", "<shift> i am"),
        ("Why? Because", "<shift> because"),
        ('He said "no." Then', "<shift> then"),
        ("(Really?) So", "<shift> so"),
        ("Dear Anna,\nI am", "<shift> i am"),
        ("Hello.\r\nI am", "<shift> i am"),
        ("at 10.30", "at 10.30"),
    ],
)
def test_a_sentence_that_is_open_goes_on(text: str, opening: str) -> None:
    context = read_context(text)
    assert " ".join(context.opening) == opening
    assert context.said == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ""),
        ("   ", ""),
        ("\n\n", ""),
        ("I am late.", "I am late."),
        ("I am late. ", "I am late."),
        ("Hello. I am late!", "I am late!"),
        ("Hello.\nI am late.", "I am late."),
        ("I am late.\n", "I am late."),
        ("I am late.\r\n\r\n", "I am late."),
        ("Hello. I am late.\n", "I am late."),
        ("Dear Anna,\n", "Dear Anna,"),
        ("Wait...", "Wait..."),
        ("(Hello.) I am late.", "I am late."),
        ("Hello. (I am late.)", "(I am late.)"),
    ],
)
def test_after_a_sentences_end_nothing_is_open_and_that_sentence_was_said(
    text: str, said: str
) -> None:
    context = read_context(text)
    assert context.opening == ()
    assert context.said == said


def test_quotes_and_brackets_that_close_belong_to_the_sentence_they_close() -> None:
    assert read_context("(I am late.)").opening == ()
    assert read_context("“I am late.” She").opening == ("<shift>", "she")


def test_of_a_long_text_only_the_end_is_read() -> None:
    context = read_context("word " * 100_000)
    assert context.opening == ("word",) * MOST_TOKENS
    assert len(read_context("x" * 10**6 + "\n").said) <= MOST_CHARACTERS
    assert len(read_context("x" * 10**6 + ".").said) <= MOST_CHARACTERS


@settings(max_examples=500)
@given(st.text(max_size=60), st.sampled_from(["", " ", "\n", ". ", '."', "?\n", ","]))
def test_any_text_is_open_or_said_and_what_is_read_stands_at_its_end(text: str, end: str) -> None:
    context = read_context(text + end)
    assert len(context.opening) <= MOST_TOKENS
    assert not (context.opening and context.said)
    if context.opening:
        assert "".join(detokenise(context.opening).split()) in "".join((text + end).split())
        assert tokenise(text + end).tokens[-1] == context.opening[-1]
    else:
        assert "".join(context.said.split()) in "".join((text + end).split())


def test_a_word_is_not_cut_off_from_its_case_mark() -> None:
    words = " ".join(["Peter", *["and so"] * ((MOST_TOKENS - 1) // 2), "on"])
    assert len(tokenise(words).tokens) == MOST_TOKENS + 1
    assert read_context(words).opening[0] == "and"
