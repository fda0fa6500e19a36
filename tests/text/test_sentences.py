import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import sentencex
from hypothesis import given, settings
from hypothesis import strategies as st

from tersely.text.sentences import split_sentences

FRAGMENTS = [
    *"\"'“”‘’«()[]…*-•:;,.!?\n\t\r\x85\xa0\u2003\u2028\ufeff\0\ud800éİ1aA😀❤️🏽",
    *["\n\n", "... ", "!! ", ":) ", "xD ", "<3 ", "1. ", "(2) ", "- ", "Dr. ", "a.m. ", "approx. "],
    *["no. ", "me. ", "U.S. ", "Monday ", "word ", "Word ", "great.The ", "http://a.b/c?d=e "],
]
any_text = st.text(st.characters(exclude_categories=()))
review_like = st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join)


def without_white_space(text: str) -> str:
    return "".join(text.split())


@settings(max_examples=300)
@given(any_text | review_like)
def test_nothing_but_white_space_is_lost(text: str) -> None:
    assert without_white_space("".join(split_sentences(text))) == without_white_space(text)


@settings(max_examples=300)
@given(any_text | review_like)
def test_a_sentence_is_one_line_with_no_white_space_around_it(text: str) -> None:
    for sentence in split_sentences(text):
        assert sentence
        assert sentence == " ".join(sentence.split())


@given(review_like, review_like)
def test_a_blank_line_always_breaks(above: str, below: str) -> None:
    apart = split_sentences(above) + split_sentences(below)
    assert split_sentences(f"{above}\n \t\n{below}") == apart


@pytest.mark.parametrize(
    "unit",
    [
        *[".", '"', "'", "“", "a", "\n", " ", "(", "!«", ". ", "a. ", "1. ", "- a\n", "Dr. "],
        *[":) ", "🏽", "a\n", "A\n", "A.b", "... I ", "http://", "!\u200d", "\ud800"],
    ],
)
def test_hostile_text_takes_no_longer_than_its_length(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    started = time.process_time()
    split_sentences(text)
    assert time.process_time() - started < 20, "what is quadratic takes minutes"


def test_emoji_after_a_stop_do_not_make_matching_explode() -> None:
    started = time.process_time()
    split_sentences("Good!" + "🏽" * 50_000 + "§ Bad! " + ":)" * 50_000 + "§")
    assert time.process_time() - started < 20, "what is quadratic takes minutes"


def test_a_sentence_longer_than_the_window_stays_whole() -> None:
    long_sentence = "We ate " + "noodles, " * 900 + "and rice."
    assert split_sentences(f"Hello. {long_sentence} Bye.") == ["Hello.", long_sentence, "Bye."]


def test_windows_do_not_change_the_boundaries_in_a_long_line() -> None:
    sentences = ["The soup was hot.", "Dr. Smith had two bowls!", "Was it $4.50?"] * 400
    assert split_sentences(" ".join(sentences)) == sentences


def test_threads_give_the_same_sentences() -> None:
    texts = [f"Table {n} was ready. We sat down at {n} p.m. and ate." for n in range(200)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(split_sentences, texts)) == [split_sentences(text) for text in texts]


def test_no_text_gives_no_sentences() -> None:
    assert split_sentences("") == split_sentences(" \n\t\n ") == []


@pytest.mark.parametrize(
    "sentences",
    [
        ["Great.", "The food was hot."],
        ["Dr. Smith flew to St. Louis.", "He paid $11.50."],
        ["It took approx. 5 min. to sit down.", "Fine."],
        ["Do not ask me.", "Tom knows."],
        ["I said no.", "Order no. 7 came anyway."],
        ["we sat.", "we ate."],
        ["We come on Sat. and on Sun. if we can.", "Always."],
        ["They open at 10 a.m. Saturday.", "We came at 9 a.m.", "Oops."],
        ["We waited... and waited.", "The soup was cold...", "I left."],
        ["Nice place but... I expected more."],
        ["So kind :)", "We love it!!", "so cheap!!"],
        ["Best tacos! 🌮🌮", "Go."],
        ["Loved it 😍", "Will be back"],
        ["I ❤️ Lisbon."],
        ["The wings are huge.", "(Share them.)", "The fries are not."],
        ['A 12" pizza is big.', 'A 10" one is not.'],
        ["See p. 3.", "It lists the wines."],
    ],
    ids=lambda sentences: sentences[0],
)
def test_sentences_joined_by_a_space_are_split_again(sentences: list[str]) -> None:
    assert split_sentences(" ".join(sentences)) == sentences


def test_a_missing_space_after_the_stop_still_breaks() -> None:
    assert split_sentences("It was great.The food!Wow.") == ["It was great.", "The food!", "Wow."]


def test_numbers_stay_with_their_list_items() -> None:
    items = ["1. Cash only.", "2. No dogs.", "3. No kids."]
    assert split_sentences(" ".join(items)) == items
    assert split_sentences("\n".join(items)) == items


def test_bullets_break_lines_and_their_wrapped_lines_are_joined() -> None:
    text = "We had:\n- fried rice\n  with egg\n- tea"
    assert split_sentences(text) == ["We had:", "- fried rice with egg", "- tea"]


def test_lines_wrapped_for_width_are_joined_with_one_space() -> None:
    text = (
        "We came here on a rainy Tuesday because the place across\n"
        "  the street was full.  The waiter told us to ask for Mr.\r\n"
        "Ito, the chef."
    )
    assert split_sentences(text) == [
        "We came here on a rainy Tuesday because the place across the street was full.",
        "The waiter told us to ask for Mr. Ito, the chef.",
    ]


def test_a_line_that_had_room_left_stands_alone() -> None:
    text = "Love this place\nGreat tacos and even better prices\nWill be back"
    assert split_sentences(text) == text.split("\n")


def test_a_line_longer_than_any_wrap_stands_alone() -> None:
    lines = ["we ate noodles " * 12 + "and left", "Then we slept"]
    assert split_sentences("\n".join(lines)) == lines


def fail_with(failure: BaseException) -> Callable[[str, str], list[str]]:
    def segment(language: str, text: str) -> list[str]:
        raise failure

    return segment


def test_text_stays_whole_where_the_library_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    panic = type("PanicException", (BaseException,), {})
    monkeypatch.setattr(sentencex, "segment", fail_with(panic()))
    assert split_sentences("One. Two.") == ["One. Two."]


def test_an_interrupt_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentencex, "segment", fail_with(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        split_sentences("One. Two.")


def test_text_stays_whole_where_the_library_loses_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentencex, "segment", lambda language, text: ["One."])
    assert split_sentences("One. Two.") == ["One. Two."]
