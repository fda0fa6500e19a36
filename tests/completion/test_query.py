import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tersely.completion.query import (
    ENDINGS,
    MAX_CONTEXT_CHARACTERS,
    MAX_CONTEXT_TOKENS,
    Query,
    parse_context,
    parse_query,
)
from tersely.text.tokens import SHIFT, detokenise, tokenise


@pytest.mark.parametrize(
    ("text", "tokens", "adjacent"),
    [
        ("10 min late", "10 min late", "0000"),
        ("", "", "0"),
        ('"ice cream" friday', "ice cream friday", "0100"),
        ('friday "ice cream"', "friday ice cream", "0010"),
        ("“ice cream sandwich”", "ice cream sandwich", "0110"),
        ('"New York" soon', "<shift> new <shift> york soon", "011100"),
        ('"" late', "late", "00"),
        ('5" pipe', '5 " pipe', "0000"),
        ("where station?", "where station ?", "0001"),
        ("come!", "come !", "001"),
        ("late.", "late .", "001"),
        ("where ? station", "where ? station", "0000"),
        ('"good night"!', "good night !", "0101"),
        ("?", "?", "01"),
        ("meet Paris", "meet <shift> paris", "0010"),
        ("Paris", "<shift> paris", "010"),
        ("Paris Rome", "<shift> paris <shift> rome", "01010"),
        ("Paris?", "<shift> paris ?", "0101"),
        ('"in Paris" Tom', "in <shift> paris <shift> tom", "011010"),
        ("NATO iPhone", "NATO iPhone", "000"),
    ],
)
def test_keywords_phrases_and_endings_are_parsed(text: str, tokens: str, adjacent: str) -> None:
    query = parse_query(text)
    assert " ".join(query.tokens) == tokens
    assert "".join(str(int(is_adjacent)) for is_adjacent in query.adjacent) == adjacent


@pytest.mark.parametrize("text", ['"', '"""', "“„”", 'a "b', "\x00", '"' * 501, '🙂 "🙂 🙂"'])
def test_any_text_can_be_parsed(text: str) -> None:
    query = parse_query(text)
    assert len(query.adjacent) == len(query.tokens) + 1


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("10 min late", ["10", "min", "late"]),
        ('"ice cream" friday', ["ice cream", "friday"]),
        ("meet Paris", ["meet", "<shift> paris"]),
        ('"New York" Tom?', ["<shift> new <shift> york", "<shift> tom", "?"]),
        ('"good night!"', ["good night !"]),
        ("", []),
    ],
)
def test_phrases_are_what_stays_together(text: str, phrases: list[str]) -> None:
    assert [" ".join(phrase) for phrase in parse_query(text).phrases()] == phrases


texts = st.text(st.sampled_from('aB1 "“”?!.é\u200b🙂'), max_size=30)


@settings(max_examples=500)
@given(texts)
def test_phrases_put_together_again_are_the_query(text: str) -> None:
    query = parse_query(text)
    assert Query.from_phrases(query.phrases(), has_ending=query.has_ending) == query


@settings(max_examples=500)
@given(texts)
def test_a_capital_stays_on_its_word(text: str) -> None:
    query = parse_query(text)
    for index, token in enumerate(query.tokens):
        if token == SHIFT:
            assert query.adjacent[index + 1]
            assert query.tokens[index + 1] != SHIFT
            assert index + 1 < len(query.tokens)


@settings(max_examples=500)
@given(st.text(st.sampled_from("aB1 ?!.é\u200b🙂"), max_size=30))
def test_without_quotes_every_token_is_a_keyword_and_only_capitals_and_ends_are_bound(
    text: str,
) -> None:
    query = parse_query(text)
    assert list(query.tokens) == tokenise(text).tokens
    for phrase in query.phrases():
        assert len([token for token in phrase if token != SHIFT]) == 1
    assert query.has_ending == bool(query.tokens and query.tokens[-1] in ENDINGS)


def test_phrases_in_another_order_stay_together() -> None:
    query = Query.from_phrases([("friday",), ("ice", "cream"), ("?",)], has_ending=True)
    assert query.tokens == ("friday", "ice", "cream", "?")
    assert query.adjacent == (False, False, True, False, True)
    assert Query.from_phrases([]) == Query((), (False,))


@pytest.mark.parametrize(
    ("text", "tokens", "capital", "adjacent"),
    [
        ("meet Paris", "meet paris", [False, True], [False, False, False]),
        ('"New York" trip', "new york trip", [True, True, False], [False, True, False, False]),
        ("Late?", "late ?", [True, False], [False, False, True]),
        ("", "", [], [False]),
    ],
)
def test_case_marks_are_split_from_their_words(
    text: str, tokens: str, capital: list[bool], adjacent: list[bool]
) -> None:
    query, needs_capital = parse_query(text).split_case_marks()
    assert query.tokens == tuple(tokens.split())
    assert list(needs_capital) == capital
    assert list(query.adjacent) == adjacent


@pytest.mark.parametrize(
    ("text", "prefix", "has_prefix"),
    [("10 la", True, True), ("10 la ", True, False), ("", True, False), ("10 la", False, False)],
)
def test_the_last_word_is_unfinished_unless_white_space_follows(
    text: str, prefix: bool, has_prefix: bool
) -> None:
    assert parse_query(text, prefix=prefix).has_prefix == has_prefix


@pytest.mark.parametrize(
    ("text", "sentence", "in_order", "in_any_order"),
    [
        ("", "I am late.", True, True),
        ("late", "Am I late?", True, True),
        ("late?", "Am I late?", True, True),
        ("late.", "Late. Am I late?", False, False),
        ('"am i" late', "Am I late?", True, True),
        ("late am", "Am I late?", False, True),
        ("late late", "Am I late?", False, True),
    ],
)
def test_a_sentence_matches_if_it_contains_the_keywords(
    text: str, sentence: str, in_order: bool, in_any_order: bool
) -> None:
    tokens, query = tokenise(sentence).tokens, parse_query(text)
    assert query.matches(tokens) == in_order
    assert query.matches(tokens, in_order=False) == in_any_order


@pytest.mark.parametrize(
    ("text", "sentence", "found"),
    [
        ("10 late", "I will be 10 minutes late.", ["10", "late"]),
        ('"ice cream" friday', "Ice cream on Friday.", ["Ice", "cream", "Friday"]),
        ("where station?", "Where is the station?", ["Where", "station", "?"]),
        ("10 min la", "10 min later.", ["10", "min", "la"]),
        ("10 min la ", "10 min la.", ["10", "min", "la"]),
        ("soup", "I will be late.", []),
    ],
)
def test_spans_are_where_the_keywords_stand(text: str, sentence: str, found: list[str]) -> None:
    query = parse_query(text, prefix=True)
    spans = query.spans(tokenise(sentence).tokens, sentence)
    assert [sentence[start:end] for start, end in spans] == found


def test_a_corrected_word_has_the_span_of_the_word_it_was_read_as() -> None:
    text = "I am ten minutes late."
    spans = parse_query("ten minuts").spans(tokenise(text).tokens, text, [("minuts", "minutes")])
    assert [text[start:end] for start, end in spans] == ["ten", "minutes"]


@given(st.text(max_size=20), st.text(max_size=40))
def test_spans_of_any_query_stay_within_any_text(text: str, sentence: str) -> None:
    query = parse_query(text, prefix=True)
    for start, end in query.spans(tokenise(sentence).tokens, sentence):
        assert 0 <= start < end <= len(sentence)


@pytest.mark.parametrize(
    ("text", "context_tokens"),
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
def test_an_open_sentence_is_the_context(text: str, context_tokens: str) -> None:
    context = parse_context(text)
    assert " ".join(context.context_tokens) == context_tokens
    assert context.previous == ""


@pytest.mark.parametrize(
    ("text", "previous"),
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
def test_a_complete_sentence_is_the_previous_one_and_nothing_is_open(
    text: str, previous: str
) -> None:
    context = parse_context(text)
    assert context.context_tokens == ()
    assert context.previous == previous


def test_quotes_and_brackets_that_close_belong_to_the_sentence_they_close() -> None:
    assert parse_context("(I am late.)").context_tokens == ()
    assert parse_context("“I am late.” She").context_tokens == ("<shift>", "she")


def test_of_a_long_text_only_the_end_is_parsed() -> None:
    context = parse_context("word " * 100_000)
    assert context.context_tokens == ("word",) * MAX_CONTEXT_TOKENS
    assert len(parse_context("x" * 10**6 + "\n").previous) <= MAX_CONTEXT_CHARACTERS
    assert len(parse_context("x" * 10**6 + ".").previous) <= MAX_CONTEXT_CHARACTERS


@settings(max_examples=500)
@given(st.text(max_size=60), st.sampled_from(["", " ", "\n", ". ", '."', "?\n", ","]))
def test_a_text_is_open_or_complete_and_its_end_is_parsed(text: str, end: str) -> None:
    context = parse_context(text + end)
    assert len(context.context_tokens) <= MAX_CONTEXT_TOKENS
    assert not (context.context_tokens and context.previous)
    if context.context_tokens:
        assert "".join(detokenise(context.context_tokens).split()) in "".join((text + end).split())
        assert tokenise(text + end).tokens[-1] == context.context_tokens[-1]
    else:
        assert "".join(context.previous.split()) in "".join((text + end).split())


def test_a_word_is_not_cut_off_from_its_case_mark() -> None:
    words = " ".join(["Peter", *["and so"] * ((MAX_CONTEXT_TOKENS - 1) // 2), "on"])
    assert len(tokenise(words).tokens) == MAX_CONTEXT_TOKENS + 1
    assert parse_context(words).context_tokens[0] == "and"
