import pytest

from tersely.completion.prefix import AS_IT_STANDS, MOST, Finisher
from tersely.completion.query import read_typed
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary

WORDS = ["the", "late", ".", "last", "later", "lady", "l", "?", *(f"la{n}" for n in range(20))]
FINISHER = Finisher(Vocabulary([*SPECIAL_TOKENS, *WORDS]))


def read(text: str) -> list[tuple[str, bool]]:
    return [
        (" ".join(one.typed.tokens), one.weight == AS_IT_STANDS)
        for one in FINISHER.readings(read_typed(text))
    ]


def test_an_unfinished_word_goes_on_as_frequent_words_do() -> None:
    assert read("10 las") == [("10 last", False)]
    assert read("10 lat") == [("10 late", False), ("10 later", False)]
    assert [text for text, _ in read("la")][:4] == ["late", "last", "later", "lady"]
    assert len(read("la")) == MOST


def test_a_word_that_is_one_already_may_be_meant_as_it_stands() -> None:
    assert read("late") == [("late", True), ("later", False)]


@pytest.mark.parametrize("text", ["", "zyzzyva", "late?", "the 10", "<shi", "<", "Zy"])
def test_what_cannot_go_on_is_left_as_it_is(text: str) -> None:
    [(_, is_finished)] = read(text)
    assert is_finished


def test_a_capital_is_kept() -> None:
    assert read("La")[0] == ("<shift> late", False)


def test_phrases_and_endings_stay_what_they_are() -> None:
    [reading, *_] = FINISHER.readings(read_typed('"the lad"'))
    assert reading.typed.tokens == ("the", "lady")
    assert reading.typed.glued == (False, True, False)
