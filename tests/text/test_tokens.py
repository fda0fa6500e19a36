import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tersely.corpus.fixture import fixture_sentences, handwritten_sentences
from tersely.text import tokens as module
from tersely.text.tokens import (
    SHIFT,
    Tokenised,
    detokenise,
    mark_case,
    split_run,
    tokenise,
    usual_gaps,
)
from tersely.text.vocabulary import SPECIAL_TOKENS

EXAMPLES = {
    "I will be 10 minutes late.": "<shift> i will be 10 minutes late .",
    "She's absolutely wonderful.": "<shift> she 's absolutely wonderful .",
    "I don't, can't, shouldn't've.": "<shift> i do n't , ca n't , should n't 've .",
    "It was $11.50, 50% off at 10:30": "<shift> it was $11.50 , 50% off at 10:30",
    "1,000 people came 24/7, 3rd time": "1,000 people came 24/7 , 3rd time",
    "my iPhone at McDonald's": "my iPhone at McDonald 's",
    "THIS place is AMAZING!!!": "THIS place is AMAZING !!!",
    "so good... really?!": "so good ... really ?!",
    "the U.S. at 5 p.m. sharp": "the U.S. at 5 p.m. sharp",
    "mouth-watering, all-you-can-eat": "mouth-watering , all-you-can-eat",
    'he said "yes" to us': 'he said " yes " to us',
    "great :) <3 food": "great :) <3 food",
    "see www.example.com/menu or a@b.org": "see www.example.com/menu or a@b.org",
    "我喜欢吃": "我 喜 欢 吃",
    "family 👨‍👩‍👧 trip 🇫🇷!": "family 👨‍👩‍👧 trip 🇫🇷 !",
    "café crème brûlée": "café crème brûlée",
    "a <shift> b </s>": "a < shift > b < / s >",
}


@pytest.mark.parametrize(("text", "expected"), EXAMPLES.items())
def test_a_sentence_is_split_into_tokens(text: str, expected: str) -> None:
    assert tokenise(text).tokens == expected.split(" ")
    assert detokenise(tokenise(text)) == text


@pytest.mark.promise(9)
@given(st.text(max_size=80))
@example("")
@example(" ")
@example("\x1c\x85\u2028")
@example("ǅ ß ŉ İ ı Σας ΟΔΟΣ")
@example("<shift><SHIFT> <unk> <s>")
@settings(max_examples=5000)
def test_any_text_is_restored(text: str) -> None:
    assert detokenise(tokenise(text)) == text


@given(st.text(alphabet="aB'’n.,!?\"() \t$5:-/%<>shiftI…我", max_size=40))
@settings(max_examples=2000)
def test_text_of_the_trickiest_characters_is_restored(text: str) -> None:
    assert detokenise(tokenise(text)) == text


@given(st.text(alphabet="aB'n.,!?\"() \t$5:-I我ไ", max_size=30))
@settings(max_examples=1000)
def test_cached_runs_give_the_same_tokens_as_the_whole_text(text: str) -> None:
    assert tokenise(text) == module._tokenise_in_context(text)


@given(st.text(max_size=60))
@settings(max_examples=1000)
def test_a_token_has_no_white_space_and_is_no_special_one(text: str) -> None:
    for token in tokenise(text).tokens:
        assert token.split() == [token]
        assert token == SHIFT or token not in SPECIAL_TOKENS


@pytest.mark.promise(9)
def test_every_fixture_sentence_is_restored() -> None:
    for sentence in [*handwritten_sentences(), *fixture_sentences(5000)]:
        assert detokenise(tokenise(sentence)) == sentence


@pytest.mark.promise(9)
def test_real_sentences_are_restored(corpora: Path) -> None:
    total = restored = 0
    for name in ("reviews/train.txt", "everyday/train.txt"):
        with (corpora / name).open(encoding="utf-8") as file:
            for _, line in zip(range(50_000), file, strict=False):
                sentence = line.rstrip("\n")
                total += 1
                restored += detokenise(tokenise(sentence)) == sentence
    assert total == 100_000
    assert restored >= 0.999 * total


def test_unusual_spacing_adds_no_token() -> None:
    assert tokenise("good  food .").tokens == tokenise("good food.").tokens
    assert tokenise("good  food .").gaps == {1: "  ", 2: " "}


def test_bare_tokens_become_text_with_the_usual_spacing() -> None:
    tokens = '<shift> she said " hello " ( twice ) , did n\'t she ?'.split()
    assert detokenise(tokens) == 'She said "hello" (twice), didn\'t she?'


def test_a_shift_with_nothing_to_shift_is_harmless() -> None:
    assert detokenise([SHIFT]) == ""
    assert detokenise([SHIFT, SHIFT, "late", SHIFT, "."]) == "Late."


@pytest.mark.parametrize("word", ["iPhone", "eBay", "NATO", "ßtraße", "ŉdie", "10", "?", "你"])
def test_a_shift_leaves_a_word_that_tokenising_would_not_restore(word: str) -> None:
    assert detokenise([SHIFT, word]) == word


def test_only_a_capitalised_word_is_marked() -> None:
    assert mark_case("Late") == (SHIFT, "late")
    assert mark_case("I") == (SHIFT, "i")
    assert mark_case("LATE") == ("LATE",)
    assert mark_case("late") == ("late",)
    assert mark_case("10") == ("10",)


def test_only_unusual_spacing_is_stored_in_gaps() -> None:
    assert tokenise("Nothing unusual, is there?").gaps == {}
    assert tokenise("great.The food") == Tokenised(["great", ".", SHIFT, "the", "food"], {2: ""})


@pytest.mark.parametrize(
    "text",
    [
        "." * 100_000,
        '"' * 50_000,
        "a'" * 50_000,
        "a" * 100_000,
        "1:" * 50_000,
        "-a" * 50_000,
        "w@" * 20_000,
        "a." * 50_000,
    ],
)
def test_hostile_text_takes_no_longer_than_its_length(text: str) -> None:
    start = time.process_time()
    assert detokenise(tokenise(text)) == text
    assert time.process_time() - start < 30


@given(st.text(max_size=60).map(lambda text: "".join(text.split())))
def test_joined_pieces_are_the_run_again(run: str) -> None:
    assert "".join(split_run(run)) == run


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ("well-kept", ["well-kept"]),
        ("and/or", ["and", "/", "or"]),
        ("w/", ["w/"]),
        ("$5.99!", ["$5.99", "!"]),
        ("£.50", ["£.50"]),
        ("20-minute", ["20-minute"]),
        ("good.5", ["good", ".", "5"]),
        ("I'd've", ["I", "'d", "'ve"]),
        ("DON’T", ["DO", "N’T"]),
        ("o'clock", ["o'clock"]),
        ("guys'", ["guys", "'"]),
        ("#yum", ["#yum"]),
        ("AT&T", ["AT&T"]),
        ("ไทย", ["ไ", "ท", "ย"]),
        ("नमस्ते", ["नमस्ते"]),
        ("😀😀", ["😀", "😀"]),
    ],
)
def test_a_run_is_split_into_words_numbers_and_punctuation(run: str, expected: list[str]) -> None:
    assert split_run(run) == expected


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["a", ",", "b", "."], "a, b."),
        (["(", "a", ")", "b"], "(a) b"),
        (['"', "a", '"', "b", '"', "c", '"'], '"a" b "c"'),
        (["do", "n't", "it", "'s"], "don't it's"),
        (["and", "/", "or"], "and/or"),
        (["a", "-", "b"], "a - b"),
        (["wait", "...", "what", "?!"], "wait... what?!"),
        (["good", ":)", "yes"], "good :) yes"),
        (["我", "吃", "。", "好"], "我吃。好"),
        (["“", "a", "”"], "“a”"),
    ],
)
def test_the_usual_white_space_is_that_of_written_english(pieces: list[str], text: str) -> None:
    gaps = usual_gaps(pieces)
    assert "".join(gap + piece for gap, piece in zip(gaps, pieces, strict=True)) == text
