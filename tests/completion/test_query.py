import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tersely.completion.query import ENDINGS, Typed, read_typed
from tersely.text.tokens import SHIFT, tokenise


@pytest.mark.parametrize(
    ("text", "tokens", "glued"),
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
def test_what_is_typed_is_read_as_it_is_meant(text: str, tokens: str, glued: str) -> None:
    typed = read_typed(text)
    assert " ".join(typed.tokens) == tokens
    assert "".join(str(int(one)) for one in typed.glued) == glued


@pytest.mark.parametrize("text", ['"', '"""', "“„”", 'a "b', "\x00", '"' * 501, '🙂 "🙂 🙂"'])
def test_any_text_can_be_read(text: str) -> None:
    typed = read_typed(text)
    assert len(typed.glued) == len(typed.tokens) + 1


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("10 min late", ["10", "min", "late"]),
        ('"ice cream" friday', ["ice cream", "friday"]),
        ("meet Paris", ["meet", "<shift> paris"]),
        ('"New York" Tom?', ["<shift> new <shift> york", "<shift> tom", "?"]),
        ('"good night!"', ["good night !"]),
        ("", []),
    ],
)
def test_blocks_are_what_stays_together(text: str, blocks: list[str]) -> None:
    assert [" ".join(block) for block in read_typed(text).blocks()] == blocks


texts = st.text(st.sampled_from('aB1 "“”?!.é\u200b🙂'), max_size=30)


@settings(max_examples=500)
@given(texts)
def test_blocks_put_together_again_are_what_was_typed(text: str) -> None:
    typed = read_typed(text)
    assert Typed.of_blocks(typed.blocks(), ends=typed.ends) == typed


@settings(max_examples=500)
@given(texts)
def test_a_capital_stays_on_its_word(text: str) -> None:
    typed = read_typed(text)
    for place, token in enumerate(typed.tokens):
        if token == SHIFT:
            assert typed.glued[place + 1]
            assert typed.tokens[place + 1] != SHIFT
            assert place + 1 < len(typed.tokens)


@settings(max_examples=500)
@given(st.text(st.sampled_from("aB1 ?!.é\u200b🙂"), max_size=30))
def test_without_quotes_every_token_is_a_keyword_and_only_capitals_and_ends_are_bound(
    text: str,
) -> None:
    typed = read_typed(text)
    assert list(typed.tokens) == tokenise(text).tokens
    for block in typed.blocks():
        assert len([token for token in block if token != SHIFT]) == 1
    assert typed.ends == bool(typed.tokens and typed.tokens[-1] in ENDINGS)


def test_blocks_in_another_order_stay_together() -> None:
    typed = Typed.of_blocks([("friday",), ("ice", "cream"), ("?",)], ends=True)
    assert typed.tokens == ("friday", "ice", "cream", "?")
    assert typed.glued == (False, False, True, False, True)
    assert Typed.of_blocks([]) == Typed((), (False,))


@pytest.mark.parametrize(
    ("text", "tokens", "capital", "glued"),
    [
        ("meet Paris", "meet paris", [False, True], [False, False, False]),
        ('"New York" trip', "new york trip", [True, True, False], [False, True, False, False]),
        ("Late?", "late ?", [True, False], [False, False, True]),
        ("", "", [], [False]),
    ],
)
def test_capitals_are_told_apart_from_their_words(
    text: str, tokens: str, capital: list[bool], glued: list[bool]
) -> None:
    typed, marked = read_typed(text).without_marks()
    assert typed.tokens == tuple(tokens.split())
    assert list(marked) == capital
    assert list(typed.glued) == glued
